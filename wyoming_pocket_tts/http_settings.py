"""The settings' section `http`: its keys, their defaults and the values that make sense."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

DEFAULT_PORT = 8000


@dataclass(frozen=True)
class HttpSettings:
    """The HTTP server: the page, speech for programs, voices of one's own.

    Attributes:
        enabled: whether there is one.
        host: where to listen: this machine alone unless it says otherwise.
        port: None: 8000 where that is free, else there is no HTTP server; a port that is chosen must be free.
        token: what clients must show (`Authorization: Bearer ...`); None: nothing.
        allow_origins: further web sites whose pages may use the server, as "https://example.org".
        allowed_voice_urls: what an address that a client gives as a voice must begin with; empty: addresses are refused.
        max_upload_mib: largest upload of a recording; 0: none are taken, and no voices can be added or deleted over HTTP.
        only_from: addresses of the machines that may connect (a proxy's); empty: all.
    """

    enabled: bool = True
    host: str = "localhost"
    port: int | None = None
    token: str | None = None
    allow_origins: tuple[str, ...] = ()
    allowed_voice_urls: tuple[str, ...] = ()
    max_upload_mib: int = 20
    only_from: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.host.strip():
            raise ValueError("host must not be empty: 0.0.0.0 is every IPv4 address")
        if self.port is not None and not 0 <= self.port <= 65_535:
            raise ValueError(f"port must be between 0 and 65535, not {self.port}")
        if not 0 <= self.max_upload_mib <= 256:
            raise ValueError(f"max_upload_mib must be between 0 and 256, not {self.max_upload_mib}")
        if self.token is not None and not re.fullmatch(r"[!-~]{8,}", self.token):
            raise ValueError("token must be at least 8 characters, without spaces")
        for origin in self.allow_origins:
            if not re.fullmatch(r"https?://[^/\s*]+", origin):
                raise ValueError(f"allow_origins: {origin!r} is not like https://example.org:8443")
        for prefix in self.allowed_voice_urls:
            # With the slash after the host, so that "https://good.org" does not let "https://good.org.evil.net" in.
            if not re.fullmatch(r"(https|hf)://[^/\s@\\]+/[^\s\\]*", prefix):
                raise ValueError(
                    f"allowed_voice_urls: {prefix!r} is not like https://example.org/voices/ or hf://owner/repo/"
                )
        for address in self.only_from:
            try:
                ipaddress.ip_address(address)
            except ValueError:
                raise ValueError(
                    f"only_from: {address!r} is no address such as 192.168.1.20"
                ) from None
