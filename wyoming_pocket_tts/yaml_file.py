"""Reading a YAML file of ours or of the owner: safe types, and a key that stands there twice is an error.

Whatever is wrong with such a file is a `ConfigError` with its line, also what PyYAML itself only stumbles over.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from wyoming_pocket_tts.errors import ConfigError


def read_yaml(path: Path) -> Any:
    """Parses a YAML file (or JSON, which is YAML).

    Returns:
        What the file holds; None when it is empty or holds comments alone.

    Raises:
        ConfigError: naming the file, and the line where the syntax breaks.
    """
    try:
        # utf-8-sig: some editors put a byte order mark first, which is no part of the first key.
        return yaml.load(path.read_text(encoding="utf-8-sig"), Loader=_UniqueKeyLoader)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not a text file in UTF-8.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        raise ConfigError(f"{path}: is not valid YAML: {where}{problem}.") from error
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deeply.") from None


class _UniqueKeyLoader(yaml.SafeLoader):
    """PyYAML keeps the last of two equal keys without a word."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            value = super().construct_object(node, deep)
            return _joined(value) if isinstance(value, str) else value
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # "2026-13-45" looks like a date and is none, `!!int x` is no number: PyYAML lets Python complain.
            written = node.value if isinstance(node, yaml.ScalarNode) else "this"
            raise yaml.constructor.ConstructorError(
                None, None, f"{written[:40]!r} is not the value it looks like", node.start_mark
            ) from error

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise yaml.constructor.ConstructorError(
                    None,
                    None,
                    "a key must be plain text; text that begins with { or [ needs quotes",
                    key_node.start_mark,
                )
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} stands there twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def _joined(text: str) -> str:
    """JSON writes a character beyond 16 bits as two escapes, which YAML takes for two characters that no output could encode."""
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
