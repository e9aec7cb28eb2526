"""Units and currencies: which symbols mean which unit (the same in every language), and how a language names one.

A language maps the keys of `UNIT_SYMBOLS` to `Unit` and the keys of `CURRENCY_SYMBOLS` to `Currency`. A unit that
a language leaves out is not recognised there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Gender = Literal["", "m", "f", "n"]
"""Gender of a counted noun; "" is the form used in counting ("eins", "uno")."""


@dataclass(frozen=True)
class Unit:
    """The spoken name of a unit. `plural` is the same as `singular` where it is left out."""

    singular: str
    plural: str = ""
    gender: Gender = "m"

    def name(self, singular: bool) -> str:
        return self.singular if singular else self.plural or self.singular


@dataclass(frozen=True)
class Currency:
    """The spoken name of a currency and of its hundredth part (None: it has none in use)."""

    main: Unit
    hundredth: Unit | None = None


# key: symbols, longest first does not matter (the pattern sorts them). Symbols are case sensitive: mW is not MW.
UNIT_SYMBOLS: dict[str, tuple[str, ...]] = {
    # temperature, angle, share
    "celsius": ("°C", "° C", "ºC", "℃", "C"),
    "fahrenheit": ("°F", "° F", "ºF", "℉", "F"),
    "kelvin": ("K",),
    "degree": ("°", "º"),
    "percent": ("%", "٪", "％"),
    "permille": ("‰",),
    # speed, flow
    "km_per_h": ("km/h", "kmh", "km/u", "km/hr"),
    "mph": ("mph", "mi/h"),
    "m_per_s": ("m/s",),
    "mm_per_h": ("mm/h",),
    "ft_per_s": ("ft/s",),
    "knot": ("kn", "kt"),
    "l_per_min": ("L/min", "l/min"),
    "l_per_h": ("L/h", "l/h"),
    "m3_per_h": ("m³/h", "m3/h"),
    "rpm": ("rpm",),
    # pressure
    "hectopascal": ("hPa",),
    "kilopascal": ("kPa",),
    "pascal": ("Pa",),
    "millibar": ("mbar",),
    "bar": ("bar",),
    "psi": ("psi",),
    "inhg": ("inHg",),
    "mmhg": ("mmHg",),
    # length, area, volume
    "nanometre": ("nm",),
    "micrometre": ("µm", "μm"),
    "millimetre": ("mm",),
    "centimetre": ("cm",),
    "metre": ("m",),
    "kilometre": ("km",),
    "inch": ("″",),
    "foot": ("ft",),
    "yard": ("yd",),
    "mile": ("mi",),
    "square_cm": ("cm²", "cm2", "cm^2"),
    "square_metre": ("m²", "m2", "m^2"),
    "square_km": ("km²", "km2", "km^2"),
    "square_foot": ("ft²", "ft2", "sq ft", "sqft"),
    "hectare": ("ha",),
    "cubic_cm": ("cm³", "cm3", "cm^3"),
    "cubic_metre": ("m³", "m3", "m^3"),
    "cubic_foot": ("ft³", "ft3"),
    "litre": ("l", "L", "ℓ"),
    "decilitre": ("dl", "dL"),
    "centilitre": ("cl", "cL"),
    "millilitre": ("ml", "mL"),
    "gallon": ("gal",),
    "fluid_ounce": ("fl oz", "fl. oz."),
    "tablespoon": ("tbsp", "Tbsp", "tbsp."),
    "teaspoon": ("tsp", "tsp."),
    # mass
    "microgram": ("µg", "μg"),
    "milligram": ("mg",),
    "gram": ("g",),
    "kilogram": ("kg",),
    "tonne": ("t",),
    "ounce": ("oz",),
    "pound_mass": ("lb", "lbs"),
    # energy, power, electricity
    "watt_hour": ("Wh",),
    "kilowatt_hour": ("kWh", "KWh", "kwh"),
    "megawatt_hour": ("MWh",),
    "milliwatt": ("mW",),
    "watt": ("W",),
    "kilowatt": ("kW",),
    "megawatt": ("MW",),
    "watt_peak": ("Wp",),
    "kilowatt_peak": ("kWp",),
    "volt_ampere": ("VA",),
    "watt_per_m2": ("W/m²", "W/m2"),
    "millivolt": ("mV",),
    "volt": ("V",),
    "kilovolt": ("kV",),
    "milliampere": ("mA",),
    "ampere": ("A",),
    "milliampere_hour": ("mAh",),
    "ampere_hour": ("Ah",),
    "ohm": ("Ω", "Ω"),
    "joule": ("J",),
    "kilojoule": ("kJ",),
    "megajoule": ("MJ",),
    "calorie": ("cal",),
    "kilocalorie": ("kcal", "Kcal"),
    "btu": ("BTU",),
    "co2_gram_per_kwh": ("gCO2/kWh", "g CO2/kWh", "gCO₂eq/kWh"),
    # light, sound, air
    "lux": ("lx", "lux"),
    "lumen": ("lm",),
    "candela": ("cd",),
    "decibel": ("dB",),
    "decibel_a": ("dBA", "dB(A)"),
    "decibel_mw": ("dBm",),
    "ppm": ("ppm",),
    "ppb": ("ppb",),
    "microgram_per_m3": ("µg/m³", "μg/m³", "µg/m3", "μg/m3", "ug/m3", "ug/m³"),
    "milligram_per_m3": ("mg/m³", "mg/m3"),
    "gram_per_m3": ("g/m³", "g/m3"),
    "microsiemens_per_cm": ("µS/cm", "μS/cm"),
    "becquerel_per_m3": ("Bq/m³", "Bq/m3"),
    "microsievert_per_h": ("µSv/h", "μSv/h"),
    "mg_per_dl": ("mg/dL", "mg/dl"),
    "mg_per_l": ("mg/L", "mg/l"),
    # data
    "byte": ("B",),
    "kilobyte": ("kB", "KB"),
    "megabyte": ("MB",),
    "gigabyte": ("GB",),
    "terabyte": ("TB",),
    "kibibyte": ("KiB",),
    "mebibyte": ("MiB",),
    "gibibyte": ("GiB",),
    "tebibyte": ("TiB",),
    "kilobit_per_s": ("kbit/s", "kb/s", "kbps", "Kbps"),
    "megabit_per_s": ("Mbit/s", "Mb/s", "Mbps", "mbps"),
    "gigabit_per_s": ("Gbit/s", "Gb/s", "Gbps"),
    "byte_per_s": ("B/s",),
    "kilobyte_per_s": ("kB/s", "KB/s"),
    "megabyte_per_s": ("MB/s",),
    "gigabyte_per_s": ("GB/s",),
    # time, frequency
    "nanosecond": ("ns",),
    "microsecond": ("µs", "μs"),
    "millisecond": ("ms",),
    "second": ("s", "sec", "sec.", "secs"),
    "minute": ("min", "min.", "mins"),
    "hour": ("h", "hr", "hrs", "hrs."),
    "day": ("d",),
    "hertz": ("Hz",),
    "kilohertz": ("kHz",),
    "megahertz": ("MHz",),
    "gigahertz": ("GHz",),
    "bpm": ("bpm",),
    "pixel": ("px",),
    "megapixel": ("MP", "Mpx"),
}

# Never in the thousands where people live: "21.125 °C" is a decimal in German, too.
SMALL_UNITS = frozenset({"celsius", "fahrenheit", "degree", "percent", "bar", "m_per_s"})

# Read only with a space before them: "4K", "3D" and "apartment 5B" are names.
SPACED_UNITS = frozenset({"kelvin", "byte", "joule", "day"})

# Symbols that say nothing alone: they are read only after a number. All others (with a sign, a slash or a capital
# after the first letter) are read alone as well ("in kWh").
NEVER_ALONE = frozenset(
    {
        "degree",
        "kelvin",
        "inch",
        "pound_mass",
        "megapixel",
        "btu",
        "volt_ampere",
        "millivolt",
        "megajoule",
    }
)

CURRENCY_SYMBOLS: dict[str, tuple[str, ...]] = {
    "EUR": ("€", "EUR"),
    "USD": ("US$", "$", "USD"),
    "GBP": ("£", "GBP"),
    "CHF": ("CHF", "SFr."),
    "JPY": ("¥", "JPY"),
    "INR": ("₹", "INR"),
    "BRL": ("R$", "BRL"),
    "CAD": ("CA$", "C$", "CAD"),
    "AUD": ("A$", "AU$", "AUD"),
    "SEK": ("SEK",),
    "NOK": ("NOK",),
    "DKK": ("DKK",),
    "PLN": ("zł", "PLN"),
    "CZK": ("Kč", "CZK"),
    "KRW": ("₩", "KRW"),
    "RUB": ("₽", "RUB"),
    "UAH": ("₴", "UAH"),
    "TRY": ("₺", "TRY"),
    "BTC": ("₿", "BTC"),
    "cent": ("¢", "ct"),
    "penny": ("p",),
}


def symbol_table(
    symbols: dict[str, tuple[str, ...]],
    named: Collection[str],
    extra: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Symbol -> key, for the keys a language names (`named`), with the language's own symbols (`extra`)."""
    common = {symbol: key for key, written in symbols.items() if key in named for symbol in written}
    return common | dict(extra or {})


def any_of(symbols: Iterable[str]) -> str:
    """Regular expression of any of the symbols, the longest first.

    Grouped by the first character: a list of hundreds is searched several times as fast.
    """
    groups: dict[str, list[str]] = {}
    for symbol in sorted(symbols, key=lambda s: (-len(s), s)):
        groups.setdefault(symbol[0], []).append(re.escape(symbol[1:]))
    branches = (
        re.escape(first) + (rests[0] if len(rests) == 1 else f"(?:{'|'.join(rests)})")
        for first, rests in groups.items()
    )
    return f"(?:{'|'.join(branches)})" if groups else "(?!)"
