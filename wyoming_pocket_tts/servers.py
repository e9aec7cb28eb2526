"""The servers and the announcer, each with its part of the settings; imported when there is to be one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wyoming_pocket_tts import __version__
from wyoming_pocket_tts.notices import Notices
from wyoming_pocket_tts.settings import Settings

if TYPE_CHECKING:
    from wyoming_pocket_tts.app_parts import Announcer, Server, WebServer


def wyoming_server(settings: Settings, synthesizer: Any, notices: Notices | None = None) -> Server:
    """The Wyoming server, with the limits of the settings."""
    from wyoming_pocket_tts.wyoming_server import WyomingServer
    from wyoming_pocket_tts.wyoming_server.options import WyomingOptions

    limits = settings.limits
    options = WyomingOptions(
        version=__version__,
        max_connections=limits.max_connections,
        max_data_bytes=limits.max_event_bytes,
        max_text_characters=limits.max_text_characters,
        idle_between_text_s=limits.idle_between_text_s,
        stalled_client_s=limits.stalled_client_s,
    )
    return WyomingServer(synthesizer, options, notices.texts if notices is not None else tuple)


def http_server(settings: Settings, notices: Notices | None = None) -> WebServer | None:
    """The HTTP server, with what the settings allow; None where there is to be none."""
    # With stdio:// somebody else starts and ends this process, perhaps several of them: then it has to be asked for.
    stdio = settings.wyoming and settings.uri.startswith("stdio:")
    if not settings.http.enabled or (stdio and settings.http.port is None):
        return None
    from wyoming_pocket_tts.http_server import HttpOptions, HttpServer

    chosen, limits = settings.http, settings.limits
    return HttpServer(
        HttpOptions(
            version=__version__,
            token=chosen.token,
            allow_origins=chosen.allow_origins,
            allowed_voice_urls=chosen.allowed_voice_urls,
            only_from=chosen.only_from,
            max_upload_bytes=chosen.max_upload_mib * 1024 * 1024,
            max_body_bytes=limits.max_event_bytes,
            max_text_characters=limits.max_text_characters,
            max_connections=limits.max_connections,
            idle_between_text_s=limits.idle_between_text_s,
            stalled_client_s=limits.stalled_client_s,
        ),
        notices.texts if notices is not None else tuple,
    )


def announcer(settings: Settings, server: Server) -> Announcer | None:
    """Who announces the server, if it listens on TCP and may be announced."""
    from wyoming_pocket_tts.announce import ZeroconfAnnouncer
    from wyoming_pocket_tts.wyoming_server.listen import parse_uri

    if not settings.zeroconf.enabled or server.port is None:
        return None
    host = parse_uri(settings.uri).host
    return ZeroconfAnnouncer(settings.zeroconf.name, server.port, host)
