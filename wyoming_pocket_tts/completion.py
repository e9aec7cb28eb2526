"""Completion scripts for shells, made from the command line's own parser: what a command takes is written down once.

It knows argparse and three shells, and no command.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

SHELLS = ("bash", "zsh", "fish")

# What follows a flag, by what the help calls it.
_KINDS = {"FILE": "file", "AUDIO": "file", "OUT": "file", "VOICE": "file", "DIR": "folder"}

Names = Mapping[str, Sequence[str]]
"""Flag -> words that may follow it, where the parser itself does not say."""


@dataclass(frozen=True)
class Argument:
    """A flag, or what stands without one.

    Attributes:
        flags: none for what stands without one.
        help: a line for people.
        value: what follows: "" nothing, "file", "folder", "word" something of which nothing is known.
        words: what may follow, where that is known; besides files where `value` is "file".
    """

    flags: tuple[str, ...]
    help: str
    value: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Command:
    """A subcommand."""

    name: str
    help: str
    arguments: tuple[Argument, ...]

    @property
    def flags(self) -> Iterator[tuple[str, Argument]]:
        """Every flag in each of its spellings."""
        return ((flag, one) for one in self.arguments for flag in one.flags)

    @property
    def places(self) -> tuple[Argument, ...]:
        """What stands without flags, in order."""
        return tuple(one for one in self.arguments if not one.flags)


def script(shell: str, parser: argparse.ArgumentParser, names: Names) -> str:
    """The script for a shell.

    Args:
        shell: one of `SHELLS`.
        parser: with subcommands.
        names: see there.
    """
    make: dict[str, Callable[[str, list[Command]], Iterator[str]]] = {
        "bash": _bash,
        "zsh": _zsh,
        "fish": _fish,
    }
    return "\n".join(make[shell](parser.prog, list(_commands(parser, names)))) + "\n"


def _commands(parser: argparse.ArgumentParser, names: Names) -> Iterator[Command]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, command in action.choices.items():
                arguments = tuple(_argument(one, names) for one in _shown(command))
                yield Command(name, helps.get(name, ""), arguments)


def _shown(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    return (one for one in parser._actions if one.help != argparse.SUPPRESS)


def _argument(action: argparse.Action, names: Names) -> Argument:
    flags = tuple(action.option_strings)
    help = re.sub(r"\s+", " ", action.help or "")
    words = tuple(str(choice) for choice in action.choices or ())
    for flag in flags:
        words = words or tuple(names.get(flag, ()))
    if action.nargs == 0:
        return Argument(flags, help, "")
    metavar = str(action.metavar or action.dest).upper()
    kind = _KINDS.get(metavar, "word")
    return Argument(flags, help, kind, words)


def _bash(program: str, commands: list[Command]) -> Iterator[str]:
    function = "_" + re.sub(r"\W", "_", program)
    yield f"# bash completion of {program}; to be sourced."
    yield f"{function}() {{"
    yield '    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"'
    yield "    COMPREPLY=()"
    yield "    if ((COMP_CWORD == 1)); then"
    first = " ".join([*(command.name for command in commands), "--help", "--version"])
    yield f"        mapfile -t COMPREPLY < <(compgen -W '{first}' -- \"$cur\")"
    yield "        return"
    yield "    fi"
    yield '    case "${COMP_WORDS[1]} $prev" in'
    for command in commands:
        for flag, argument in command.flags:
            if argument.value:
                yield f'        "{command.name} {flag}") {_bash_values(argument)}; return ;;'
    yield "    esac"
    yield '    case "${COMP_WORDS[1]}" in'
    for command in commands:
        flags = " ".join(flag for flag, _ in command.flags)
        yield f"        {command.name})"
        yield "            if [[ $cur == -* ]]; then"
        yield f"                mapfile -t COMPREPLY < <(compgen -W '{flags}' -- \"$cur\")"
        for place in command.places[:1]:
            yield "            else"
            yield f"                {_bash_values(place)}"
        yield "            fi ;;"
    yield "    esac"
    yield "}"
    yield f"complete -F {function} {program}"


def _bash_values(argument: Argument) -> str:
    words = f"-W '{' '.join(argument.words)}'" if argument.words else ""
    paths = {"file": "-f", "folder": "-d"}.get(argument.value, "")
    if not words and not paths:
        return ":"
    how = " ".join(filter(None, (words, paths)))
    found = f'mapfile -t COMPREPLY < <(compgen {how} -- "$cur")'
    return f"compopt -o filenames; {found}" if paths else found


def _zsh(program: str, commands: list[Command]) -> Iterator[str]:
    yield f"#compdef {program}"
    yield f"# zsh completion of {program}; to be sourced, or kept as _{program} in a folder of $fpath."
    yield f"_{program}() {{"
    yield "    local -a commands=("
    for command in commands:
        yield f"        {_quoted(f'{command.name}:{command.help}')}"
    yield "    )"
    yield "    if (( CURRENT == 2 )); then"
    yield "        _describe command commands"
    yield "        return"
    yield "    fi"
    yield "    shift words"
    yield "    (( CURRENT-- ))"
    yield "    case $words[1] in"
    for command in commands:
        yield f"        {command.name})"
        yield "            _arguments \\"
        for flag, argument in command.flags:
            about = re.sub(r"([\[\]:\\])", r"\\\1", argument.help)
            yield f"                {_quoted(f'*{flag}[{about}]{_zsh_values(argument)}')} \\"
        for number, place in enumerate(command.places, start=1):
            yield f"                {_quoted(f'{number}{_zsh_values(place)}')} \\"
        yield "                && return ;;"
    yield "    esac"
    yield "}"
    yield f'if [[ "${{funcstack[1]}}" == _{program} ]]; then'
    yield f'    _{program} "$@"'
    yield "else"
    yield f"    compdef _{program} {program}"
    yield "fi"


def _zsh_values(argument: Argument) -> str:
    if not argument.value:
        return ""
    words = " ".join(argument.words)
    if words and argument.value == "file":
        return f":value:{{compadd -- {words}; _files}}"
    if words:
        return f":value:({words})"
    return {"file": ":file:_files", "folder": ":folder:_files -/"}.get(argument.value, ":value: ")


def _fish(program: str, commands: list[Command]) -> Iterator[str]:
    yield f"# fish completion of {program}; to be sourced, or kept as completions/{program}.fish."
    yield f"complete -c {program} -f"
    for command in commands:
        begin = f"complete -c {program} -n __fish_use_subcommand"
        yield f"{begin} -a {command.name} -d {_quoted(command.help)}"
    for command in commands:
        begin = f"complete -c {program} -n '__fish_seen_subcommand_from {command.name}'"
        for argument in command.arguments:
            flags = "".join(
                f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}"
                for flag in argument.flags
            )
            yield f"{begin}{flags}{_fish_values(argument)} -d {_quoted(argument.help)}"


def _fish_values(argument: Argument) -> str:
    must = " -x" if argument.flags else ""
    words = f" -a {_quoted(' '.join(argument.words))}" if argument.words else ""
    if argument.value == "file":
        return f" -r -F{words}" if argument.flags else f" -F{words}"
    if words:
        return f"{must}{words}"
    if argument.value == "folder":
        return f"{must} -a '(__fish_complete_directories)'"
    return must if argument.value else ""


def _quoted(text: str) -> str:
    """In single quotes, for zsh and fish alike."""
    return "'" + text.replace("'", "'\"'\"'") + "'"
