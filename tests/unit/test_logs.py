"""The log: both formats, extra fields, and what must not get into it."""

from __future__ import annotations

import io
import json
import logging
from typing import Any, Literal

import pytest

from wyoming_pocket_tts import logs

LOGGER = logging.getLogger("wyoming_pocket_tts.test")
FIELDS: dict[str, Any] = {
    "voice": "alba",
    "characters": 12,
    "ttfa_ms": 43.1499999,
    "outcome": "done",
}


def configured(
    format: Literal["text", "json"], level: str = "info", secrets: tuple[str, ...] = ()
) -> io.StringIO:
    stream = io.StringIO()
    # pytest's own handlers are put back by the fixture above.
    logging.getLogger().handlers[:] = []
    logs.configure(level, format, secrets=secrets, stream=stream)
    return stream


def test_text_appends_the_fields() -> None:
    stream = configured("text")
    LOGGER.info("Spoken", extra=FIELDS)
    line = stream.getvalue()
    assert line.endswith(" INFO test: Spoken voice=alba characters=12 ttfa_ms=43.15 outcome=done\n")


def test_json_makes_keys_of_the_fields() -> None:
    stream = configured("json")
    LOGGER.warning("Spoken %d", 1, extra=FIELDS)
    line = json.loads(stream.getvalue())
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "wyoming_pocket_tts.test",
        "message": "Spoken 1",
        **FIELDS,
        "ttfa_ms": 43.15,
    }


def test_json_lines_are_json_whatever_is_logged() -> None:
    stream = configured("json")
    fields = {
        "nan": float("nan"),
        "path": LOGGER,
        "many": ("a", 1),
        "map": {1: {2}},
        "level": "own",
    }
    LOGGER.info("Zeile\nzwei \u2028 ü", extra=fields)
    (line, end) = stream.getvalue().split("\n")
    assert end == ""
    found = json.loads(line, parse_constant=pytest.fail)
    assert found["message"] == "Zeile\nzwei \u2028 ü"
    assert (found["nan"], found["many"], found["map"]) == (None, ["a", 1], {"1": [2]})
    assert (found["level"], found["level_"]) == ("info", "own")


def test_a_message_cannot_write_a_line_of_its_own() -> None:
    stream = configured("text")
    LOGGER.info("voice %s", "x\n2026-01-01 INFO forged", extra={"voice": "a b\n=c"})
    assert len(stream.getvalue().splitlines()) == 1
    assert 'voice="a b\\n=c"' in stream.getvalue()


@pytest.mark.parametrize("format", ["text", "json"])
def test_a_traceback_is_shown(format: Literal["text", "json"]) -> None:
    stream = configured(format)
    try:
        raise ZeroDivisionError("here")
    except ZeroDivisionError:
        LOGGER.exception("Failed")
    assert "ZeroDivisionError: here" in stream.getvalue()
    assert len(stream.getvalue().splitlines()) == 1 or format == "text"


@pytest.mark.parametrize("format", ["text", "json"])
def test_tokens_are_hidden_wherever_they_stand(format: Literal["text", "json"]) -> None:
    stream = configured(format, secrets=("very-secret-value", "", "x"))
    token = "hf_" + "aB3" * 11
    LOGGER.info(
        "with %s", token, extra={"url": f"https://host/?t={token}", "header": f"Bearer {token}"}
    )
    LOGGER.info("and very-secret-value", extra={"nested": {"a": ["very-secret-value"]}, "box": "x"})
    try:
        raise ValueError(f"refused {token}")
    except ValueError:
        LOGGER.exception("Failed")
    text = stream.getvalue()
    assert token not in text
    assert "very-secret-value" not in text
    assert text.count("[hidden]") >= 6
    assert "box=x" in text or '"box": "x"' in text


def test_levels_and_chatty_libraries() -> None:
    stream = configured("text", "debug")
    LOGGER.debug("shown")
    logging.getLogger("httpx").info("GET https://host/?signature=secret")
    logging.getLogger("urllib3.connectionpool").debug("sent")
    assert stream.getvalue().count("\n") == 1
    stream = configured("text", "warning")
    LOGGER.info("not shown")
    assert stream.getvalue() == ""


def test_configuring_twice_logs_once() -> None:
    configured("text")
    stream = configured("json")
    LOGGER.info("once")
    assert len(stream.getvalue().splitlines()) == 1


def test_a_library_with_a_handler_of_its_own_is_shown_once() -> None:
    stream = configured("text")
    own = io.StringIO()
    library = logging.getLogger("some_library")
    library.addHandler(logging.StreamHandler(own))
    logs.take_over("some_library")
    library.warning("told")
    assert own.getvalue() == ""
    assert stream.getvalue().count("told") == 1
