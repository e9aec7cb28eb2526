"""Reading a YAML file of ours or of the owner: safe types, and a key that stands there twice is an error."""

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

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} stands there twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)
