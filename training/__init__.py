"""Training of a small voice: texts, a teacher's speech, codec, FlowLM, export, evaluation.

Needs what the package needs and the teacher (flite); no part of the wheel. `docs/starter-voice.md` says how it is used.
"""
