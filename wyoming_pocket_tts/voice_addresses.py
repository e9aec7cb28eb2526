"""Addresses of voices that requests may name: which of them the owner allows, and how much is fetched from there.

Asked when a request names an address, and again for every address to which a server sends us on. Knows no network.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AskedFor:
    """What holds for a download that a request asked for, and not the owner.

    Attributes:
        prefixes: what addresses must begin with.
        max_bytes: largest file.
    """

    prefixes: tuple[str, ...]
    max_bytes: int

    def leads_on(self, address: str) -> bool:
        """Whether a server may send us on to an address; it may add a question of its own."""
        return is_allowed(address.partition("#")[0].partition("?")[0], self.prefixes)


def is_allowed(address: str, prefixes: tuple[str, ...]) -> bool:
    """Whether an address lies where the owner allows; so that nobody climbs out of an allowed folder, dots are refused too."""
    steps = address.split("/")
    # On the hub, @ stands before a revision; elsewhere it can hide the host.
    refused = "\\%?# " if address.startswith("hf://") else "\\%?#@ "
    plain = address.isascii() and not any(character in address for character in refused)
    inside = plain and ".." not in steps and "." not in steps
    return inside and any(address.startswith(prefix) for prefix in prefixes)
