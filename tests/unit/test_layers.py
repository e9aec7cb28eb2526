"""Who may import whom, seen from outside: a fresh interpreter imports a part, and what came with it is looked at.

`text` imports neither torch nor numpy, `engine` nothing but torch, the standard library and itself, protocol servers nothing below the
synthesizer, and importing the package does nothing that anybody would notice.
"""

from __future__ import annotations

import ast
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import wyoming_pocket_tts

PACKAGE = Path(wyoming_pocket_tts.__file__).parent
NAME = "wyoming_pocket_tts"


def modules(part: str) -> list[str]:
    """The dotted names of a package's modules, the package itself first."""
    folder = PACKAGE / part
    inside = pkgutil.walk_packages([str(folder)], prefix=f"{NAME}.{part}.")
    return [f"{NAME}.{part}", *(module.name for module in inside if is_python(module.name))]


def is_python(name: str) -> bool:
    """A library that ctypes loads looks like an extension module, but cannot be imported."""
    return not name.endswith(".libkernels")


def in_a_fresh_interpreter(program: str) -> object:
    """Runs a program that prints JSON."""
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def loaded_by(names: list[str]) -> set[str]:
    """All modules that are there after importing these."""
    program = (
        "import importlib, json, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    loaded = in_a_fresh_interpreter(program)
    assert isinstance(loaded, list)
    return set(loaded)


def ours(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.startswith(f"{NAME}.")}


def test_the_text_front_end_needs_no_torch() -> None:
    loaded = loaded_by(modules("text"))
    assert not {"torch", "numpy", "wyoming", "huggingface_hub", "asyncio"} & loaded
    allowed = {f"{NAME}.errors", f"{NAME}.strict"}
    assert {name for name in ours(loaded) if not name.startswith(f"{NAME}.text")} <= allowed


def test_the_engine_knows_torch_and_itself_alone() -> None:
    loaded = loaded_by(modules("engine"))
    others = {name for name in ours(loaded) if not name.startswith(f"{NAME}.engine")}
    assert others <= {f"{NAME}.errors"}


def test_the_engine_imports_the_standard_library_torch_and_itself() -> None:
    """In the sources, since torch brings numpy along: nothing else is named in them."""
    allowed = {*sys.stdlib_module_names, "torch", "numpy", NAME}
    for path in (PACKAGE / "engine").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.partition(".")[0] in allowed, f"{path.name} imports {name}"
                assert not name.startswith(NAME) or name.startswith(
                    (f"{NAME}.engine", f"{NAME}.errors")
                ), f"{path.name} imports {name}"


def imports_of(path: Path) -> set[str]:
    """Modules named in import statements, relative ones by their full names; those for type checkers left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    folder = [NAME, *path.relative_to(PACKAGE).parts[:-1]]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = folder[: len(folder) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def is_in(name: str, parts: tuple[str, ...]) -> bool:
    """Whether a dotted name is one of these modules or lies in one of them."""
    return any(name == part or name.startswith(f"{part}.") for part in parts)


# What each part may import of this package, besides itself.
MAY_IMPORT = {
    "engine": (),
    "text": ("errors", "strict"),
    "sound": ("audio", "errors"),
    "models": (
        *("engine", "text.options", "sound.options"),
        *("__version__", "errors", "strict", "yaml_file", "prompts", "prompt_sound", "waiting"),
        *("voice_addresses",),
    ),
    "wyoming_server": ("errors", "speech", "text_feed", "waiting"),
    "http_server": (
        *("audio", "errors", "speech", "text_feed", "voice_addresses", "waiting"),
        *("wyoming_server.listen",),
    ),
    # Beside the synthesizer, over the same engine.
    "tts": ("engine", "models", "text", "errors", "prompts"),
    "announce.py": ("errors",),
}
# Packages that would bring the arithmetic along.
MAY_NOT_IMPORT = {
    "text": ("torch", "numpy"),
    "wyoming_server": ("torch", "numpy", "safetensors", "sentencepiece"),
    "http_server": ("torch", "safetensors", "sentencepiece"),
    "announce.py": ("torch", "numpy"),
}


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_arrows_go_one_way(part: str) -> None:
    """Servers see the synthesizer's words and nothing below; models know no servers; the engine knows itself."""
    own = (part, *MAY_IMPORT[part])
    allowed = tuple(f"{NAME}.{name}" for name in own)
    paths = [PACKAGE / part] if part.endswith(".py") else sorted((PACKAGE / part).rglob("*.py"))
    seen: set[str] = set()
    for path in paths:
        names = imports_of(path)
        wrong = {name for name in names if is_in(name, (NAME,)) and not is_in(name, allowed)}
        wrong |= {name for name in names if is_in(name, MAY_NOT_IMPORT.get(part, ()))}
        assert not wrong, f"{path.relative_to(PACKAGE)} imports {wrong}"
        seen |= names
    # A part that was moved must not make this pass by having nothing to look at.
    assert len(seen) > 3, f"nothing was found in {part}"


@pytest.mark.parametrize("part", ["wyoming_server", "http_server"])
def test_a_server_brings_no_engine_along(part: str) -> None:
    """Seen from outside as well: what comes indirectly counts too."""
    names = modules(part)
    assert len(names) > 3
    loaded = loaded_by(names)
    assert not {"torch", "safetensors", "sentencepiece"} & loaded
    below = tuple(f"{NAME}.{name}" for name in ("engine", "models", "text", "settings", "app"))
    assert not {name for name in ours(loaded) if is_in(name, below)}


def test_only_the_command_line_reads_arguments_and_environment() -> None:
    # The native kernels' switch is for comparisons, whoever uses the engine: no setting of the program's.
    allowed = {PACKAGE / "cli.py", PACKAGE / "engine" / "native" / "__init__.py"}
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path not in allowed and path.parent.name != "commands":
            assert "sys.argv" not in text, path
            assert "os.environ" not in text, path
            assert "getenv" not in text, path


EVERYTHING = [
    module.name
    for module in pkgutil.walk_packages([str(PACKAGE)], prefix=f"{NAME}.")
    if not module.name.endswith("__main__") and is_python(module.name)
]


@pytest.mark.parametrize(
    "names", [[NAME], EVERYTHING], ids=["the package", "every module of the package"]
)
def test_importing_does_nothing_that_is_noticed(names: list[str]) -> None:
    """No thread, no logging set up, no signal handler, nothing printed."""
    program = f"""
import importlib, json, logging, signal, sys, threading
for name in {names!r}: importlib.import_module(name)
print(json.dumps({{
    "threads": threading.active_count(),
    "handlers": len(logging.root.handlers),
    "level": logging.root.level,
    "sigterm": signal.getsignal(signal.SIGTERM) is signal.SIG_DFL,
    "own_levels": [n for n, l in logging.root.manager.loggerDict.items()
                   if n.startswith({NAME!r}) and getattr(l, "level", 0)],
}}))
"""
    assert in_a_fresh_interpreter(program) == {
        "threads": 1,
        "handlers": 0,
        "level": 30,
        "sigterm": True,
        "own_levels": [],
    }
    if names == [NAME]:
        assert not {"torch", "numpy", "asyncio", "logging"} & loaded_by(names) - loaded_by([])
