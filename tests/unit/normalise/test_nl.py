"""Dutch as a home says it: (text, spoken form)."""

from __future__ import annotations

import pytest

from wyoming_pocket_tts.text.normalise import normalise

TABLE = [
    # cardinals, thousands
    ("Er zijn 3 lampen aan", "Er zijn drie lampen aan"),
    ("1 lamp is aan", "één lamp is aan"),
    ("22 ramen", "tweeëntwintig ramen"),
    ("101 honden", "honderdeen honden"),
    (
        "1.234.567 mensen",
        "een miljoen tweehonderdvierendertigduizendvijfhonderdzevenenzestig mensen",
    ),
    ("12\u202f500 stappen", "twaalfduizendvijfhonderd stappen"),
    ("10000 lumen", "tienduizend lumen"),
    ("Order 123456789", "Order één twee drie, vier vijf zes, zeven acht negen"),
    ("Code 0042", "Code nul nul vier twee"),
    # decimals with either mark, negatives
    ("21,5 °C", "eenentwintig komma vijf graden Celsius"),
    ("Het is 21.5 °C buiten", "Het is eenentwintig komma vijf graden Celsius buiten"),
    ("3,14", "drie komma veertien"),
    ("2,05 m", "twee komma nul vijf meter"),
    ("Minimum -3,5 °C", "Minimum min drie komma vijf graden Celsius"),
    ("−7 °C", "min zeven graden Celsius"),
    ("1.013 hPa", "duizenddertien hectopascal"),
    ("1.234,5 kWh", "duizendtweehonderdvierendertig komma vijf kilowattuur"),
    # units and their plurals
    ("1 °C warmer", "één graad Celsius warmer"),
    ("1 minuut", "één minuut"),
    ("2 minuten", "twee minuten"),
    ("1 min", "één minuut"),
    ("10 min", "tien minuten"),
    ("2 u", "twee uur"),
    ("30 s", "dertig seconden"),
    ("3 d", "drie dagen"),
    ("1h 20min", "één uur twintig minuten"),
    ("45% luchtvochtigheid", "vijfenveertig procent luchtvochtigheid"),
    ("50 km/h", "vijftig kilometer per uur"),
    ("3,4 m/s", "drie komma vier meter per seconde"),
    ("3 kWh", "drie kilowattuur"),
    ("1250 W", "duizendtweehonderdvijftig watt"),
    ("230 V en 16 A", "tweehonderddertig volt en zestien ampère"),
    ("800 ppm CO2", "achthonderd P P M C O twee"),
    ("12 µg/m³", "twaalf microgram per kubieke meter"),
    ("25 m²", "vijfentwintig vierkante meter"),
    ("2 l melk en 500 ml room", "twee liter melk en vijfhonderd milliliter room"),
    ("100 Mbit/s", "honderd megabit per seconde"),
    ("16 GB", "zestien gigabyte"),
    ("300 lx", "driehonderd lux"),
    ("-12 dB", "min twaalf decibel"),
    ("verbruik in kWh", "verbruik in kilowattuur"),
    ("uv-index 7", "uv-index zeven"),
    # ranges, ratios, fractions
    ("5-10 minuten", "vijf tot tien minuten"),
    ("20–25 °C", "twintig tot vijfentwintig graden Celsius"),
    ("3/4 vol", "driekwart vol"),
    ("1/2 liter", "een halve liter"),
    ("1/2 uur", "een half uur"),
    ("½ l", "een halve liter"),
    ("1½ uur", "anderhalf uur"),
    ("2½ uur", "twee en een half uur"),
    ("2/3 klaar", "twee derde klaar"),
    ("beeld 16:9", "beeld zestien op negen"),
    # money
    ("€ 12,50", "twaalf euro vijftig"),
    ("€12.50", "twaalf euro vijftig"),
    ("12,50 euro", "twaalf euro vijftig"),
    ("€ 1", "één euro"),
    ("€ 0,50", "vijftig cent"),
    ("$5", "vijf dollar"),
    ("€ 1,5 mln", "één komma vijf miljoen euro"),
    ("€ 0,25/kWh", "vijfentwintig cent per kilowattuur"),
    # times
    ("om 22:05 uur", "om tweeëntwintig uur vijf"),
    ("om 22:05", "om tweeëntwintig uur vijf"),
    ("om 14.30 uur", "om veertien uur dertig"),
    ("om 7 uur", "om zeven uur"),
    ("1:00", "één uur"),
    ("00:00", "middernacht"),
    ("12:00:30", "twaalf uur en dertig seconden"),
    ("8-18 uur", "acht tot achttien uur"),
    ("ma-vr geopend", "maandag tot en met vrijdag geopend"),
    # dates, years
    ("op 30-11-2026", "op dertig november tweeduizendzesentwintig"),
    ("op 30/11 om 8 uur", "op dertig november om acht uur"),
    ("30 november 2026", "dertig november tweeduizendzesentwintig"),
    ("ma 30 nov.", "maandag dertig november."),
    ("2026-11-30", "dertig november tweeduizendzesentwintig"),
    ("1-1-2026", "één januari tweeduizendzesentwintig"),
    ("in 1999", "in negentiennegenennegentig"),
    ("in 1905", "in negentienhonderdvijf"),
    ("in 2005", "in tweeduizendvijf"),
    ("de jaren 80", "de jaren tachtig"),
    # ordinals, Roman numerals
    ("op de 2e verdieping", "op de tweede verdieping"),
    ("de 1ste keer", "de eerste keer"),
    ("Willem III", "Willem de Derde"),
    ("hoofdstuk IV", "hoofdstuk vier"),
    ("3x per dag", "drie keer per dag"),
    # codes
    ("Bel 06-12345678", "Bel nul zes, één twee drie, vier vijf zes, zeven acht"),
    ("+31 20 1234567", "plus drie één, twee nul, één twee drie, vier vijf, zes zeven"),
    ("versie 2.13.0", "versie twee punt dertien punt nul"),
    ("versie 2.13", "versie twee punt dertien"),
    ("192.168.1.10", "één negen twee punt één zes acht punt één punt tien"),
    ("sensor.woonkamer_temperatuur", "sensor woonkamer temperatuur"),
    ("4K en 5G", "vier K en vijf G"),
    # abbreviations, acronyms
    ("bijv. de lamp", "bijvoorbeeld de lamp"),
    ("d.w.z. aan, enz.", "dat wil zeggen aan, enzovoort."),
    ("ma t/m vr", "ma tot en met vr"),
    ("ca. 5 graden", "circa vijf graden"),
    ("dhr. Jansen en mevr. De Vries", "de heer Jansen en mevrouw De Vries"),
    ("huis nr. 7", "huis nummer zeven"),
    ("USB, tv en WLAN", "U S B, tv en W-Lan"),
    ("twee LEDs", "twee L E D's"),
    ("ALARM: deur open", "Alarm: deur open"),
    # states and words stay
    ("De deur is open, het licht is AAN", "De deur is open, het licht is AAN"),
    ("Doe het licht in de keuken uit.", "Doe het licht in de keuken uit."),
    # symbols
    ("A & B", "A en B"),
    ("2 + 3 = 5", "twee plus drie is vijf"),
    ("~5 °C", "ongeveer vijf graden Celsius"),
    ("#5 en #keuken", "nummer vijf en hashtag keuken"),
    # more of what a home sends
    ("nog 2u 5m", "nog twee uur vijf minuten"),
    ("3/4 uur", "drie kwartier"),
    ("1/4 l melk", "een kwart liter melk"),
    ("ma 30/11 vuilnis", "maandag dertig november vuilnis"),
    ("€ 5,-", "vijf euro"),
    ("2 mln. mensen", "twee miljoen mensen"),
    ("pagina 2/5", "pagina twee van vijf"),
    ("Bel 112", "Bel één één twee"),
    ("-5 graden", "min vijf graden"),
    ("15.000 stappen", "vijftienduizend stappen"),
]


@pytest.mark.parametrize(("text", "spoken"), TABLE)
def test_spoken_form(text: str, spoken: str) -> None:
    assert normalise(text, "nl") == spoken
