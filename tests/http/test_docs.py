"""docs/http.md names every path there is, and none that is not."""

from __future__ import annotations

import re
from pathlib import Path

from wyoming_pocket_tts.http_server.answers import _STATUS
from wyoming_pocket_tts.http_server.options import HttpOptions
from wyoming_pocket_tts.http_server.page import FOLDER
from wyoming_pocket_tts.http_server.server import build
from wyoming_pocket_tts.http_server.service import Service

DOCS = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")


async def test_every_path_is_documented() -> None:
    app = build(Service(HttpOptions()))
    files = {f"/{path.name}" for path in FOLDER.iterdir()} | {"/"}
    there = {
        f"{route.method} {route.resource.canonical}"
        for route in app.router.routes()
        if route.resource is not None and route.resource.canonical not in files
        if route.method not in ("HEAD", "OPTIONS")
    }
    told = set(re.findall(r"\b((?:GET|POST|DELETE) /[\w/{}]+)", DOCS))
    assert there == told


async def test_every_code_is_documented() -> None:
    for code in _STATUS:
        assert f"`{code}`" in DOCS, code


async def test_the_page_needs_nothing_from_elsewhere() -> None:
    for path in FOLDER.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, path
        assert "https://" not in text, path
        # Relative links alone, for Home Assistant's ingress.
        assert not re.search(r"""(src|href|fetch\(|call\()\s*=?\s*["'`]/""", text), path
