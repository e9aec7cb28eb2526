"""`wyoming-pocket-tts text`: what the server would say for a text, and in which segments. No model is loaded, nothing is fetched."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wyoming_pocket_tts.commands import common

if TYPE_CHECKING:
    from wyoming_pocket_tts.settings import Settings
    from wyoming_pocket_tts.text.front_end import FrontEnd, TextTokenizer
    from wyoming_pocket_tts.text.options import TextOptions, TextRules

_EPILOG = """\
examples:
  wyoming-pocket-tts text --language en "It is 21.5 °C at 22:05."
  wyoming-pocket-tts text --language de - < answer.md
  wyoming-pocket-tts text --settings server.yaml --json "Dr. Smith is here."

Printed are the spoken form, then each segment as the model gets it, with its
tokens and the pause after it. Tokens are estimated, unless --tokenizer names
the model's own file. docs/text.md says what is said how.
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds `text` to the command line."""
    parser = common.make_parser(
        subparsers, "text", "show how a text is spoken", _EPILOG, "TEXT [flags]"
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("text", metavar="TEXT", help="the text, or - for standard input")
    add("--language", metavar="CODE", help="en (default), fr, pt-BR, ...")
    add("--settings", metavar="FILE", type=Path, help="a server's settings: its section text")
    add("--dictionary", metavar="FILE", help="how words are to be said, in YAML")
    add("--ssml", action="store_true", help="the text is SSML")
    add("--raw-text", action="store_true", help="as the pocket-tts package does it")
    add("--max-tokens", metavar="N", type=int, help="in one segment (default 50)")
    add("--tokenizer", metavar="FILE", type=Path, help="count by this model's vocabulary")
    add("--json", action="store_true", help="for programs: one object")


def run(arguments: argparse.Namespace) -> int:
    """Prints what is said."""
    from wyoming_pocket_tts import cli
    from wyoming_pocket_tts.text.dictionary import Dictionary
    from wyoming_pocket_tts.text.front_end import FrontEnd

    options = _settings(arguments).text
    language, rules = _language(getattr(arguments, "language", "en"))
    text = common.read_standard_input() if arguments.text == "-" else arguments.text
    path = options.dictionary
    lexicon = Dictionary(path).lexicon(language) if path and not options.raw else None
    tokenizer = _tokenizer(getattr(arguments, "tokenizer", None))
    front_end = FrontEnd(options, rules, tokenizer, language, lexicon)
    segments = _segments(front_end, text, tokenizer)
    said = {
        "language": language,
        "rules": _rules_of(options, language),
        "text": text,
        "spoken": "".join(segment["text"] for segment in segments),
        "tokens_estimated": not hasattr(arguments, "tokenizer"),
        "segments": segments,
    }
    if getattr(arguments, "json", False):
        print(json.dumps(said, indent=2, ensure_ascii=False))
    else:
        _print(said)
    return cli.EXIT_OK


def _settings(arguments: argparse.Namespace) -> Settings:
    """The settings with the flags over them, checked as the server checks them."""
    from wyoming_pocket_tts.settings_file import FlagValue, load_settings

    given = vars(arguments)
    flags = [
        FlagValue(flag, ("text", key), value)
        for name, flag, key, value in (
            ("raw_text", "--raw-text", "raw", True),
            ("ssml", "--ssml", "text_format", "ssml"),
            ("max_tokens", "--max-tokens", "max_tokens", given.get("max_tokens")),
            ("dictionary", "--dictionary", "dictionary", given.get("dictionary")),
        )
        if name in given
    ]
    return load_settings(given.get("settings"), flags)


def _language(name: str) -> tuple[str, TextRules]:
    """The language's code, and the rules of the catalogue's model that speaks it (else the usual ones)."""
    from wyoming_pocket_tts.errors import ConfigError
    from wyoming_pocket_tts.models.catalogue import Catalogue
    from wyoming_pocket_tts.text.options import TextRules

    wanted = name.lower()
    try:
        model = Catalogue.load().find(wanted)
    except ConfigError:
        return name, TextRules()
    keys = (field.name for field in dataclasses.fields(TextRules))
    rules = TextRules(**{key: getattr(model.config, key) for key in keys})
    return (model.language_code if wanted in (model.name, model.language) else name), rules


def _tokenizer(path: Path | None) -> TextTokenizer:
    from wyoming_pocket_tts.models.tokenizer import open_tokenizer
    from wyoming_pocket_tts.text.estimate import EstimatedTokenizer

    return EstimatedTokenizer() if path is None else open_tokenizer(path)


def _segments(front_end: FrontEnd, text: str, tokenizer: TextTokenizer) -> list[dict[str, Any]]:
    found = []
    for segment in (*front_end.feed(text), *front_end.flush()):
        prepared = front_end.prepare(segment).text
        fields = {
            **dataclasses.asdict(segment),
            "prepared": prepared,
            "tokens": len(tokenizer.encode(prepared)),
        }
        found.append(fields)
    return found


def _rules_of(options: TextOptions, language: str) -> str:
    """Which language's rules for numbers and the like are used; "" is none."""
    from wyoming_pocket_tts.text.normalise import LANGUAGES

    code = language.replace("_", "-").split("-")[0].lower()
    return code if code in LANGUAGES and options.normalise and not options.raw else ""


def _print(said: dict[str, Any]) -> None:
    rules = said["rules"] or "none: numbers, units and the like stay as they are"
    print(f"language  {said['language']} (rules: {rules})")
    print(f"spoken    {said['spoken'].strip()}")
    about = "~" if said["tokens_estimated"] else ""
    for number, segment in enumerate(said["segments"], start=1):
        pause = f", then {segment['pause_ms']} ms" if segment["pause_ms"] else ""
        print(f"\n{number:>3}  {about}{segment['tokens']} tokens{pause}")
        print(f"     {segment['prepared'].strip() or '(silence)'}")
    if not said["segments"]:
        print("\nNothing here can be spoken.")
