"""Sentences that a home says: a small grammar, with numbers, units and times as an automation would write them.

Digits and units are left to the text front end (`training.texts`), so that the model learns the words that it will be given.
"""

from __future__ import annotations

import random
import re

from training.home_tables import (
    DAYS,
    DEVICES,
    DOORS,
    EVENTS,
    FALLS,
    MONTHS,
    MUSIC,
    NUMBERS,
    PARTS,
    PEOPLE,
    ROOMS,
    SHOPPING,
    STATES,
    TEMPLATES,
    THINGS,
    WEATHER,
)

_SLOT = re.compile(r"\{(\w+)\}")


def home_words() -> set[str]:
    """The words of the grammar, lower case."""
    lists = (ROOMS, DEVICES, DOORS, STATES, PEOPLE, MUSIC, WEATHER, FALLS, DAYS, MONTHS, PARTS)
    texts = [*TEMPLATES, *NUMBERS, *THINGS, *SHOPPING, *EVENTS]
    texts += [entry for entries in lists for entry in entries]
    return {word for text in texts for word in _words(_SLOT.sub(" ", text))}


def is_of_home(text: str, known: set[str]) -> bool:
    """Whether a text looks like one of the grammar's."""
    words = _words(text)
    return sum(word in known for word in words) >= 0.9 * len(words)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


class Home:
    """Draws sentences of a home."""

    def __init__(self, random_: random.Random) -> None:
        self._random = random_

    def sentence(self) -> str:
        """One sentence (sometimes two), as an automation would write it."""
        text = _SLOT.sub(lambda match: self._fill(match[1]), self._random.choice(TEMPLATES))
        return text[0].upper() + text[1:]

    def _fill(self, slot: str) -> str:
        lists = {
            "room": ROOMS, "device": DEVICES, "door": DOORS, "state": STATES, "person": PEOPLE, "music": MUSIC,
            "weather": WEATHER, "falls": FALLS, "day": DAYS, "weekday": DAYS[:7], "month": MONTHS, "part": PARTS,
            "thing": THINGS, "shop": SHOPPING, "event": EVENTS, "onoff": ("on", "off"),
        }  # fmt: skip
        if slot in lists:
            return self._random.choice(lists[slot])
        if slot.lower() in lists:
            word = self._random.choice(lists[slot.lower()])
            return word[0].upper() + word[1:]
        made = getattr(self, f"_{slot}")()
        assert isinstance(made, str)
        return made

    def _temp(self) -> str:
        r = self._random
        degrees = r.choice(("°C", "°C", "°F", "°", " degrees", " °C"))
        if r.random() < 0.5:
            return f"{r.randint(-15, 39)}.{r.randint(0, 9)}{degrees}"
        return f"{r.randint(-20, 110)}{degrees}"

    def _percent(self) -> str:
        return f"{self._random.randint(0, 100)}" + self._random.choice(("%", " %", " percent"))

    def _num(self) -> str:
        return str(self._random.choice((self._random.randint(2, 99), self._random.randint(2, 999))))

    def _small(self) -> str:
        return str(self._random.randint(2, 12))

    def _big(self) -> str:
        return str(self._random.randint(400, 2500))

    def _dayno(self) -> str:
        return str(self._random.randint(1, 28))

    def _digits(self) -> str:
        return " ".join(str(self._random.randint(0, 9)) for _ in range(self._random.randint(3, 5)))

    def _decimal(self) -> str:
        return f"{self._random.randint(0, 30)}.{self._random.randint(0, 9)}"

    def _price(self) -> str:
        return f"${self._random.randint(1, 99)}.{self._random.randint(1, 99):02d}"

    def _time(self) -> str:
        r = self._random
        hour, minute = r.randint(0, 23), r.choice((0, 15, 30, 45, r.randint(1, 59)))
        if r.random() < 0.4:
            return f"{1 + hour % 12}:{minute:02d} {'am' if hour < 12 else 'pm'}"
        if r.random() < 0.3:
            return f"{1 + hour % 12} o'clock"
        return f"{hour}:{minute:02d}"

    def _minutes(self) -> str:
        r = self._random
        unit = r.choice(("minute", "minute", "second", "hour"))
        count = r.choice((1, r.randint(2, 60), r.randint(2, 12)))
        if r.random() < 0.15:
            return f"{r.randint(2, 12)} hours and {r.randint(2, 59)} minutes"
        return f"{count} {unit}{'s' if count > 1 else ''}"
