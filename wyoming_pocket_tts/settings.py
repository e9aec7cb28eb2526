"""What the owner of an installation can choose: frozen dataclasses, one per section of the settings file.

Here stand the keys, their defaults and the values that make sense; nothing here knows where the values come from
(`settings_file.py`) or what is built from them (`app.py`). `config/server.example.yaml` shows every key with its meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from wyoming_pocket_tts.errors import nearest
from wyoming_pocket_tts.http_settings import HttpSettings
from wyoming_pocket_tts.logs import check_pattern
from wyoming_pocket_tts.settings_checks import check_between, check_languages, check_voice_name
from wyoming_pocket_tts.sound.options import SoundChoice, SoundOptions
from wyoming_pocket_tts.text.options import TextOptions

DEFAULT_URI = "tcp://0.0.0.0:10200"
DEFAULT_LANGUAGE_MODEL = "english"

_FILE_SUFFIXES = (".safetensors", ".wav", ".flac", ".mp3", ".ogg", ".opus")
_MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True)
class ModelSettings:
    """A community model: one more model under a name of its own.

    Attributes:
        config: its YAML in upstream's schema: a path, https://... or hf://owner/repo/path@revision.
        languages: codes of the languages it speaks; the first one is used for a voice that states none.
        load: "start" with the server, "first-use" when a request needs it; None: as `Settings.load` says.
    """

    config: str
    languages: tuple[str, ...] = ()
    load: Literal["start", "first-use"] | None = None

    def __post_init__(self) -> None:
        if not self.config.strip():
            raise ValueError("config must name a model's YAML: a path, https://... or hf://...")
        check_languages("languages", self.languages)


@dataclass(frozen=True)
class VoiceSettings:
    """A voice that clients may ask for by name, or more about one that the catalogue has.

    Attributes:
        source: a catalogue voice's name, or the path, https:// or hf:// address of a voice state (.safetensors) or of a recording
            (wav, flac, mp3, ogg); None: the catalogue voice of this name.
        model: name of the model that speaks it; None: the first one loaded that fits.
        description: what people see in a list; None: the catalogue's.
        languages: language codes under which it is listed; empty: its model's.
        aliases: further names that clients may use.
        speakers: name of a speaker -> name of the voice that is used when a client asks for this voice with that speaker.
        speed, volume_db, lead_silence_ms, tail_silence_ms: as in `Settings.sound`, for this voice; None: as there.
    """

    source: str | None = None
    model: str | None = None
    description: str | None = None
    languages: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    speakers: dict[str, str] = field(default_factory=dict)
    speed: float | None = None
    volume_db: float | None = None
    lead_silence_ms: int | None = None
    tail_silence_ms: int | None = None

    @property
    def sound(self) -> SoundChoice:
        """What of this voice's sound differs from `Settings.sound`."""
        return SoundChoice.of(self)

    def __post_init__(self) -> None:
        _ = self.sound  # raises for what cannot be done
        if self.source is not None and not self.source.strip():
            raise ValueError("source must not be empty")
        check_languages("languages", self.languages)
        for alias in self.aliases:
            check_voice_name("alias", alias)
        for speaker in self.speakers:
            check_voice_name("speaker", speaker)


@dataclass(frozen=True)
class LimitSettings:
    """What the server takes from its clients before it says no.

    Attributes:
        max_text_characters: longest text of one request.
        max_event_bytes: largest event a client may send.
        max_connections: connections open at the same time.
        max_waiting_requests: requests that wait for a free slot; one more is answered with "busy".
        idle_between_text_s: longest pause in a streamed request's text before the request is ended.
        stalled_client_s: longest time a client may leave its audio unread before its connection is closed.
        model_wait_s: longest time a request waits for a model that is still being downloaded or loaded.
        model_memory_mib: memory for loaded models; over it, those not used for longest are dropped. None: no limit.
        voice_memory_mib: memory for voice states, likewise.
        stop_s: time that running requests get to end when the server stops.
    """

    max_text_characters: int = 20_000
    max_event_bytes: int = 1_048_576
    max_connections: int = 64
    max_waiting_requests: int = 32
    idle_between_text_s: float = 30.0
    stalled_client_s: float = 30.0
    model_wait_s: float = 30.0
    model_memory_mib: int | None = None
    voice_memory_mib: int = 256
    stop_s: float = 5.0

    def __post_init__(self) -> None:
        check_between("max_text_characters", self.max_text_characters, 1, 10_000_000)
        check_between("max_event_bytes", self.max_event_bytes, 1_024, 1_073_741_824)
        check_between("max_connections", self.max_connections, 1, 65_536)
        check_between("max_waiting_requests", self.max_waiting_requests, 0, 65_536)
        check_between("idle_between_text_s", self.idle_between_text_s, 0.1, 3_600)
        check_between("stalled_client_s", self.stalled_client_s, 0.1, 3_600)
        check_between("model_wait_s", self.model_wait_s, 0, 86_400)
        check_between("model_memory_mib", self.model_memory_mib, 1, 1_048_576)
        check_between("voice_memory_mib", self.voice_memory_mib, 1, 1_048_576)
        check_between("stop_s", self.stop_s, 0, 60)


@dataclass(frozen=True)
class EngineSettings:
    """How speech is made. None stands for the model's own value.

    Attributes:
        slots: segments generated at the same time.
        threads: CPU threads of the engine; "auto" is what a short measurement at the first start finds to be fastest.
        quantize: FlowLM's large matrices in 8 bits, where that is faster than float32 on this machine.
        tune: measure at the first start what is fastest here; without, sensible choices are made unmeasured.
        seed: makes every request repeatable; None draws a new seed for each.
        temperature: variance of the noise the flow head starts from.
        decode_steps: integration steps of the flow head per frame.
        noise_clamp: largest magnitude of that noise.
        eos_threshold: logit over which the speech counts as ended.
        frames_after_eos: frames still delivered after that.
    """

    slots: int = 8
    threads: int | Literal["auto"] = "auto"
    quantize: bool = True
    tune: bool = True
    seed: int | None = None
    temperature: float | None = None
    decode_steps: int | None = None
    noise_clamp: float | None = None
    eos_threshold: float | None = None
    frames_after_eos: int | None = None

    def __post_init__(self) -> None:
        check_between("slots", self.slots, 1, 256)
        if self.threads != "auto":
            check_between("threads", self.threads, 1, 1_024)
        check_between("seed", self.seed, 0, 2**63 - 1)
        check_between("temperature", self.temperature, 0, 10)
        check_between("decode_steps", self.decode_steps, 1, 1_000)
        check_between("noise_clamp", self.noise_clamp, 0.01, 100)
        check_between("eos_threshold", self.eos_threshold, -1_000, 1_000)
        check_between("frames_after_eos", self.frames_after_eos, 0, 250)


@dataclass(frozen=True)
class ZeroconfSettings:
    """The announcement on the local network, by which Home Assistant finds the server.

    Attributes:
        enabled: False inside the add-on, where the Supervisor announces it already.
        name: the name that people see, followed by digits that stand for this machine; keep it, a new one is a new device.
    """

    enabled: bool = True
    name: str = "pocket-tts"

    def __post_init__(self) -> None:
        # A DNS label is 63 bytes long at most, and the digits need some of them; a dot would end it.
        name = self.name
        if not 1 <= len(name.encode()) <= 50 or not name.isprintable() or "." in name:
            raise ValueError(f"name {name!r} must be 1 to 50 printable bytes without a dot")


@dataclass(frozen=True)
class LoggingSettings:
    """The log, which goes to standard error.

    Attributes:
        level: "debug" also shows the texts that are spoken.
        format: "text", lines for people; "json", one JSON object a line for programs; or a pattern for lines, as Python's `logging`
            takes them ("%(levelname)s: %(message)s", "{levelname}: {message}").
    """

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: str = "text"

    def __post_init__(self) -> None:
        if self.format not in ("text", "json"):
            check_pattern(self.format)


@dataclass(frozen=True)
class Settings:
    """Everything that can be chosen; the defaults are a server that speaks English.

    Attributes:
        uri: where the Wyoming server listens: tcp://host:port, unix:///path or stdio://.
        wyoming: False: HTTP alone.
        languages: catalogue models to load; empty: English, unless `models` give something to speak with.
        models: community models by name.
        load: when models are loaded: "start", before the server answers; "background", while it answers already; "first-use", when
            a request needs them.
        voices: voices by name.
        voices_dir: a folder whose recordings and voice states are voices too, for as long as they lie there.
        default_voice: the voice of requests that name none; None: the first model's own.
        default_voices: language code -> the voice for requests that name that language alone.
        cache_dir: where downloads are kept; None: the hub's own cache.
        offline: never use the network; what is not in the cache is not there.
    """

    uri: str = DEFAULT_URI
    wyoming: bool = True
    languages: tuple[str, ...] = ()
    models: dict[str, ModelSettings] = field(default_factory=dict)
    load: Literal["start", "background", "first-use"] = "start"
    voices: dict[str, VoiceSettings] = field(default_factory=dict)
    voices_dir: Path | None = None
    default_voice: str | None = None
    default_voices: dict[str, str] = field(default_factory=dict)
    cache_dir: Path | None = None
    offline: bool = False
    limits: LimitSettings = field(default_factory=LimitSettings)
    engine: EngineSettings = field(default_factory=EngineSettings)
    text: TextOptions = field(default_factory=TextOptions)
    sound: SoundOptions = field(default_factory=SoundOptions)
    http: HttpSettings = field(default_factory=HttpSettings)
    zeroconf: ZeroconfSettings = field(default_factory=ZeroconfSettings)
    logging: LoggingSettings = field(default_factory=LoggingSettings)

    def __post_init__(self) -> None:
        _check_uri(self.uri)
        if not self.wyoming and not self.http.enabled:
            raise ValueError("wyoming and http.enabled are both false: nothing would be served")
        for key, names in (("languages", self.languages), ("models", self.models)):
            for name in names:
                if not _MODEL_NAME.fullmatch(name):
                    raise ValueError(
                        f"{key}: model name {name!r} must be letters, digits, '_', '.' and '-'"
                    )
        twice = set(self.languages) & set(self.models)
        if twice:
            raise ValueError(f"models.{min(twice)} is named in languages too; rename one of them")
        check_languages("default_voices", self.default_voices)
        for name in self.voices:
            check_voice_name("voice name", name)
        _check_aliases(self.voices)

    @property
    def catalogue_models(self) -> tuple[str, ...]:
        """Names of the catalogue models to load: `languages`, or English where nothing was chosen."""
        if self.languages or self.models:
            return self.languages
        return (DEFAULT_LANGUAGE_MODEL,)


def is_file_source(source: str) -> bool:
    """Whether a voice's source is a file (a path or an address), not the name of a catalogue voice."""
    return "/" in source or source.lower().endswith(_FILE_SUFFIXES)


def _check_uri(uri: str) -> None:
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme not in ("tcp", "unix", "stdio"):
        hint = nearest(scheme, ("tcp", "unix", "stdio"))
        raise ValueError(
            f"uri {uri!r} must be tcp://host:port, unix:///path/of/socket or stdio://.{hint}"
        )
    if scheme == "unix" and not rest:
        raise ValueError(f"uri {uri!r} names no socket, as in unix:///run/pocket-tts.sock")
    if scheme == "tcp":
        port = rest.rpartition(":")[2]
        if not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65_535 or ":" not in rest:
            raise ValueError(f"uri {uri!r} needs a port from 0 to 65535, as in {DEFAULT_URI}")


def _check_aliases(voices: Mapping[str, VoiceSettings]) -> None:
    """Two voices must not answer to one name: which of them spoke would be chance."""
    owners = {name.casefold(): name for name in voices}
    if len(owners) < len(voices):
        raise ValueError("voices holds two names that differ in upper and lower case alone")
    for name, voice in voices.items():
        for alias in voice.aliases:
            owner = owners.setdefault(alias.casefold(), name)
            if owner != name:
                raise ValueError(f"voices.{name}.aliases: {alias!r} already means voice {owner!r}")
