"""Models and voice states in memory: loaded when needed, waited for within limits, dropped when idle and never in use."""

from __future__ import annotations

import asyncio
import errno
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests import tiny, tiny_files
from tests.protocol.helpers import until
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.layout import parameter_count
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import DownloadError, ModelUnavailable, VoiceStateError
from wyoming_pocket_tts.models import host as host_module
from wyoming_pocket_tts.models import memory
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.host import ModelHost
from wyoming_pocket_tts.models.loading import EngineOptions, LoadedModel, ModelEntry
from wyoming_pocket_tts.models.progress import DownloadProgress
from wyoming_pocket_tts.models.progress_board import ProgressBoard
from wyoming_pocket_tts.models.voice_states import VoiceStates

NAMES = ("a", "b", "c")
MODEL_BYTES = 4 * parameter_count(tiny.config())
STATE_BYTES = tiny.voice().nbytes
Make = Callable[..., ModelHost]


@pytest.fixture(scope="module")
def configs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ModelConfig]:
    folder = tmp_path_factory.mktemp("models")
    return {name: tiny_files.config_on_disk(folder / name, seed) for seed, name in enumerate(NAMES)}


@pytest.fixture
async def make(
    configs: dict[str, ModelConfig], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Make]:
    """Makes hosts of three tiny models, whose budget is counted in bytes and not in MiB."""
    monkeypatch.setattr(host_module, "_MIB", 1)
    made: list[ModelHost] = []

    def make_host(*, at_start: bool = False, **options: object) -> ModelHost:
        entries = [ModelEntry(name, configs[name], "en", at_start) for name in NAMES]
        values = {"read_voice": lambda voice, model: tiny.voice(), "fetch": Path, **options}
        values.setdefault("voices_budget_mib", 10 * STATE_BYTES)
        host = ModelHost(entries, EngineOptions(slots=1), **values)  # type: ignore[arg-type]
        made.append(host)
        return host

    yield make_host
    for host in made:
        await host.close()


def voice(model: str, name: str = "anna", version: str = "") -> Voice:
    return Voice(name, model, f"{name}.safetensors", ("en",), version=version)


def loaded(host: ModelHost) -> set[str]:
    return set(host._held)


def runs(model: str) -> bool:
    """Whether a model's engine has its threads."""
    return any(thread.name.startswith(f"engine-{model}") for thread in threading.enumerate())


class Gate:
    """A fetch that waits until it is opened, and fails while it is told to."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.failure: Exception | None = None
        self.asked: list[str] = []

    def __call__(self, source: str) -> Path:
        self.asked.append(source)
        assert self.opened.wait(60)
        if self.failure is not None:
            raise self.failure
        return Path(source)


async def use(host: ModelHost, *voices: Voice) -> None:
    for one in voices:
        async with host.use(one):
            pass


# Loading


async def test_a_model_is_loaded_on_first_use_and_kept(make: Make) -> None:
    host = make()
    await host.load_at_start()
    assert loaded(host) == set()
    async with host.use(voice("b")) as speaker:
        assert speaker.model.entry.name == "b"
        assert speaker.model.identity == tiny_files.identity(1)
        assert speaker.voice.length == tiny.voice().length
    async with host.use(voice("b")) as again:
        assert again.model is speaker.model
    assert loaded(host) == {"b"}


async def test_models_at_start(make: Make) -> None:
    host = make(at_start=True)
    await host.load_at_start()
    assert loaded(host) == set(NAMES)


async def test_at_start_no_more_is_loaded_than_there_is_room_for(make: Make) -> None:
    host = make(at_start=True, budget_mib=2 * MODEL_BYTES)
    await host.load_at_start()
    assert loaded(host) == {"a", "b"}


async def test_many_requests_load_a_model_once(make: Make) -> None:
    gate = Gate()
    host = make(fetch=gate)
    asking = [asyncio.create_task(use(host, voice("a"))) for _ in range(5)]
    await asyncio.sleep(0.05)
    gate.opened.set()
    await asyncio.gather(*asking)
    assert len(gate.asked) == len(set(gate.asked)) == 2  # weights, tokenizer


async def test_a_failed_load_is_tried_again(make: Make) -> None:
    gate = Gate()
    gate.opened.set()
    gate.failure = DownloadError("x: the hub cannot be reached.", source="x", kind="network")
    host = make(fetch=gate)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="Model 'a' cannot be loaded: x: the hub"):
            await use(host, voice("a"))
    gate.failure = None
    await use(host, voice("a"))
    assert loaded(host) == {"a"}


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate memory"
        ),
    ],
)
async def test_too_little_memory_is_told_with_what_to_do(
    make: Make, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def load(*_: object) -> LoadedModel:
        raise error

    host = make()
    with monkeypatch.context() as patch:
        patch.setattr(host_module, "load_model", load)
        with pytest.raises(ModelUnavailable, match=r"too little memory.* a smaller model"):
            await use(host, voice("a"))
    await use(host, voice("a"))


async def test_another_fault_while_loading_is_not_taken_for_that(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*_: object) -> LoadedModel:
        raise RuntimeError("size mismatch")

    monkeypatch.setattr(host_module, "load_model", load)
    with pytest.raises(RuntimeError, match="size mismatch"):
        await use(make(), voice("a"))


# Waiting


async def test_a_request_waits_for_a_model_within_its_limit(make: Make) -> None:
    gate = Gate()
    host = make(fetch=gate, wait_s=0.05)
    with pytest.raises(ModelUnavailable, match="Model 'a' is still being loaded; try again"):
        await use(host, voice("a"))
    # Loading went on for the next request.
    gate.opened.set()
    await until(lambda: loaded(host) == {"a"})
    await use(host, voice("a"))
    assert len(gate.asked) == 2


async def test_a_download_is_told_in_percent(make: Make, configs: dict[str, ModelConfig]) -> None:
    gate, board = Gate(), ProgressBoard()
    host = make(fetch=gate, wait_s=0.0, percent=board.percent)
    weights = configs["a"].weights_path or ""
    board(DownloadProgress("another", 1, 2))
    with pytest.raises(ModelUnavailable, match="still being loaded"):
        await use(host, voice("a"))
    board(DownloadProgress(weights, 42, 100))
    with pytest.raises(ModelUnavailable, match=r"Model 'a' is still being downloaded \(42 %\)"):
        await use(host, voice("a"))
    board(DownloadProgress(weights, 100, 100))
    with pytest.raises(ModelUnavailable, match="still being loaded"):
        await use(host, voice("a"))
    gate.opened.set()
    await until(lambda: loaded(host) == {"a"})


async def test_a_request_waits_for_a_voice_within_its_limit(make: Make) -> None:
    ready = threading.Event()

    def read(voice: Voice, model: LoadedModel) -> VoiceState:
        assert ready.wait(60)
        return tiny.voice()

    host = make(read_voice=read)
    await host._load("a")
    host._wait_s = 0.05
    with pytest.raises(ModelUnavailable, match="Voice 'anna' is still being made"):
        await use(host, voice("a"))
    ready.set()
    await host.prepare(voice("a"))
    await use(host, voice("a"))


def test_percent_of_several_files() -> None:
    passed: list[DownloadProgress] = []
    board = ProgressBoard(passed.append)
    assert board.percent(["x"]) is None
    reports = [DownloadProgress("x", 10, 100), DownloadProgress("y", 300, 300)]
    for report in (DownloadProgress("x", 0, None), *reports, DownloadProgress("z", 5, None)):
        board(report)
    assert board.percent(["x"]) == 10
    assert board.percent(["x", "y", "z", "w"]) == 77
    assert board.percent(["z"]) is None
    assert passed[1:3] == reports


# The memory budget for models


async def test_over_the_budget_the_one_not_used_for_longest_goes(make: Make) -> None:
    host = make(budget_mib=2 * MODEL_BYTES)
    await use(host, voice("a"), voice("b"), voice("a"), voice("c"))
    assert loaded(host) == {"a", "c"}
    await use(host, voice("b"))
    assert loaded(host) == {"b", "c"}


async def test_a_model_in_use_is_never_dropped(make: Make) -> None:
    host = make(budget_mib=MODEL_BYTES)
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(host.use(voice("a")))
        async with host.use(voice("b")) as second:
            # Over the budget, and both speak on.
            assert loaded(host) == {"a", "b"}
            assert (first.model.entry.name, second.model.entry.name) == ("a", "b")
            assert runs("a")
            assert runs("b")
        # The second is idle now, the first is not.
        assert loaded(host) == {"a"}
        async with host.use(voice("c")), host.use(voice("c", "bert")):
            assert loaded(host) == {"a", "c"}
        assert loaded(host) == {"a"}
        assert runs("a")
    assert loaded(host) == {"a"}


async def test_a_model_over_the_whole_budget_speaks_and_stays(make: Make) -> None:
    host = make(budget_mib=MODEL_BYTES // 2)
    await use(host, voice("a"))
    assert loaded(host) == {"a"}
    await use(host, voice("b"))
    assert loaded(host) == {"b"}


async def test_without_a_budget_everything_stays(make: Make) -> None:
    host = make()
    await use(host, *(voice(name) for name in NAMES))
    assert loaded(host) == set(NAMES)


async def test_what_is_dropped_takes_its_thread_and_its_voices_along(make: Make) -> None:
    host = make(budget_mib=MODEL_BYTES)
    await use(host, voice("a"))
    assert runs("a")
    assert host._states.nbytes == STATE_BYTES
    await use(host, voice("b"))
    await until(lambda: not runs("a"))
    assert host._states.nbytes == STATE_BYTES  # that of b alone


async def test_the_memory_of_what_is_dropped_goes_back_to_the_system(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[set[str]] = []
    host = make(budget_mib=MODEL_BYTES)
    monkeypatch.setattr(host_module, "_GIVE_BACK_AFTER_S", 0.0)
    monkeypatch.setattr(memory, "give_back", lambda: given.append(loaded(host)))
    await use(host, voice("a"))
    assert given == [set()]  # after loading it
    await use(host, voice("b"))
    await until(lambda: len(given) == 3)  # after dropping the first, and after loading the second


async def test_room_is_made_before_a_model_is_loaded(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[set[str]] = []
    load_model = host_module.load_model

    def load(*arguments: object, **options: object) -> LoadedModel:
        held.append(loaded(host))
        return load_model(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(host_module, "load_model", load)
    host = make(budget_mib=2 * MODEL_BYTES)
    await use(host, voice("a"), voice("b"), voice("c"), voice("a"))
    assert held == [set(), {"a"}, {"b"}, {"c"}]


async def test_a_model_that_cannot_be_had_pushes_no_other_out(
    make: Make, configs: dict[str, ModelConfig]
) -> None:
    def fetch(source: str) -> Path:
        if source == configs["b"].weights_path:
            raise DownloadError("b: gone.", source=source, kind="not-found")
        return Path(source)

    host = make(budget_mib=MODEL_BYTES, fetch=fetch)
    await use(host, voice("a"))
    with pytest.raises(ModelUnavailable, match="gone"):
        await use(host, voice("b"))
    assert loaded(host) == {"a"}


def test_giving_memory_back_is_harmless_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    memory.give_back()
    monkeypatch.setattr(memory, "_trim", lambda: None)
    memory.give_back()


async def test_many_requests_within_a_small_budget(make: Make) -> None:
    host = make(budget_mib=MODEL_BYTES)

    async def ask(number: int) -> None:
        async with host.use(voice(NAMES[number % 3], f"v{number % 5}")) as speaker:
            await asyncio.sleep(0.001 * (number % 4))
            assert runs(speaker.model.entry.name)

    await asyncio.gather(*(ask(number) for number in range(40)))
    assert len(loaded(host)) == 1


async def test_a_model_that_comes_after_the_end_is_ended_too(make: Make) -> None:
    gate = Gate()
    host = make(fetch=gate)
    asking = asyncio.create_task(use(host, voice("c")))
    await until(lambda: gate.asked)
    await host.close()
    await asyncio.gather(asking, return_exceptions=True)
    gate.opened.set()
    await until(lambda: len(gate.asked) == 2)
    await until(lambda: not runs("c"))
    assert loaded(host) == set()


async def test_closing_ends_every_engine(make: Make) -> None:
    host = make()
    await use(host, *(voice(name) for name in NAMES))
    assert all(runs(name) for name in NAMES)
    await host.close()
    assert not any(runs(name) for name in NAMES)


# Voice states


class Reader:
    """Counts what is read; fails for what is told to fail."""

    def __init__(self, bad: Iterable[str] = ()) -> None:
        self.read: list[str] = []
        self.bad = set(bad)

    def __call__(self, voice: Voice, model: LoadedModel) -> VoiceState:
        self.read.append(f"{voice.name}{voice.version}")
        if voice.name in self.bad:
            raise VoiceStateError(f"{voice.source}: is damaged.")
        return tiny.voice()


async def test_voice_states_are_read_once_and_dropped_by_last_use(make: Make) -> None:
    reader = Reader()
    host = make(read_voice=reader, voices_budget_mib=2 * STATE_BYTES)
    await asyncio.gather(*(use(host, voice("a", "x")) for _ in range(4)))
    assert reader.read == ["x"]
    await use(host, voice("a", "y"), voice("a", "x"), voice("a", "z"))
    assert reader.read == ["x", "y", "z"]
    await use(host, voice("a", "x"), voice("a", "z"))
    assert reader.read == ["x", "y", "z"]
    await use(host, voice("a", "y"))
    assert reader.read == ["x", "y", "z", "y"]
    assert host._states.nbytes == 2 * STATE_BYTES


async def test_one_voice_larger_than_the_budget_is_kept_alone(make: Make) -> None:
    reader = Reader()
    host = make(read_voice=reader, voices_budget_mib=1)
    await use(host, voice("a", "x"), voice("a", "x"), voice("a", "y"), voice("a", "x"))
    assert reader.read == ["x", "y", "x"]


async def test_a_voice_belongs_to_its_model_and_to_a_version_of_its_file(make: Make) -> None:
    reader = Reader()
    host = make(read_voice=reader)
    await use(host, voice("a"), voice("b"), voice("a", version="2"), voice("a", version="2"))
    assert reader.read == ["anna", "anna", "anna2"]
    host.keep_only((voice("a", version="2"),))
    assert host._states.nbytes == STATE_BYTES


async def test_a_voice_that_cannot_be_read_is_tried_again(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    reader = Reader(bad=["x"])
    host = make(read_voice=reader)
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match=r"Voice 'x' cannot be used: x\.safetensors: is"):
            await use(host, voice("a", "x"))
    assert host.refused(voice("a", "x"))
    assert not host.refused(voice("a", "y"))
    assert caplog.text.count("Voice x cannot be used") == 1
    reader.bad.clear()
    await use(host, voice("a", "x"))
    assert not host.refused(voice("a", "x"))


async def test_a_request_that_leaves_takes_no_other_along(make: Make) -> None:
    ready = threading.Event()

    def read(voice: Voice, model: LoadedModel) -> VoiceState:
        assert ready.wait(60)
        return tiny.voice()

    host = make(read_voice=read)
    leaving, staying = (asyncio.create_task(use(host, voice("a"))) for _ in range(2))
    await until(lambda: host._states._coming)
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    ready.set()
    await staying


async def test_states_that_come_for_nobody_stay_within_the_budget() -> None:
    states = VoiceStates(lambda voice, model: tiny.voice(), STATE_BYTES)
    waiting = [
        asyncio.create_task(states.get(voice("a", name), None, 5))  # type: ignore[arg-type]
        for name in ("x", "y", "z")
    ]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await until(lambda: not states._coming)
    assert states.nbytes == STATE_BYTES
