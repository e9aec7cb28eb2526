"""What a French voice is given to say: text as a home produces it, and the words for it."""

from __future__ import annotations

import pytest

from wyoming_pocket_tts.text.normalise import normalise

NNBSP = "\u202f"  # the thin no-break space of French typography
NBSP = "\u00a0"

SPOKEN = [
    # cardinals: 70, 80 and 90 of France; "et un", plural of vingt and cent
    ("Il reste 3 messages.", "Il reste trois messages."),
    ("21 appareils sont connectés.", "vingt et un appareils sont connectés."),
    ("71, 80, 81 et 91", "soixante et onze, quatre-vingts, quatre-vingt-un et quatre-vingt-onze"),
    (
        "Il y a 200 photos et 280 chansons.",
        "Il y a deux cents photos et deux cent quatre-vingts chansons.",
    ),
    ("1 lampe et 2 prises", "une lampe et deux prises"),
    ("21 notifications", "vingt et une notifications"),
    ("1 volet est ouvert", "un volet est ouvert"),
    ("0 erreur", "zéro erreur"),
    # thousands: plain, thin, no-break and ordinary space, dots, English commas
    (
        f"1{NNBSP}234{NNBSP}567 habitants",
        "un million deux cent trente-quatre mille cinq cent soixante-sept habitants",
    ),
    (f"Compteur : 12{NBSP}450 kWh", "Compteur : douze mille quatre cent cinquante kilowattheures"),
    ("12 450 pas", "douze mille quatre cent cinquante pas"),
    ("1.234.567", "un million deux cent trente-quatre mille cinq cent soixante-sept"),
    ("1,234,567", "un million deux cent trente-quatre mille cinq cent soixante-sept"),
    ("1 000 000 habitants", "un million d'habitants"),
    ("2 000 000 €", "deux millions d'euros"),
    # decimals: comma, the point of a raw sensor, signs
    ("21.5 °C", "vingt et un virgule cinq degrés Celsius"),
    (
        "Il fait 21,5 °C dans le salon.",
        "Il fait vingt et un virgule cinq degrés Celsius dans le salon.",
    ),
    ("3,05 V", "trois virgule zéro cinq volts"),
    ("pi vaut 3,14159", "pi vaut trois virgule un quatre un cinq neuf"),
    ("0,5 l", "zéro virgule cinq litre"),
    ("1,5 km", "un virgule cinq kilomètre"),
    ("-3,5 °C", "moins trois virgule cinq degrés Celsius"),
    ("−12 °C ce matin", "moins douze degrés Celsius ce matin"),
    ("environ -1 °C", "environ moins un degré Celsius"),
    ("1.234,56 €", "mille deux cent trente-quatre euros cinquante-six"),
    # ordinals
    ("le 1er étage", "le premier étage"),
    ("la 1re fois et la 2e fois", "la première fois et la deuxième fois"),
    ("la 1ère porte", "la première porte"),
    ("le 3ème rappel", "le troisième rappel"),
    ("la 2nde tentative", "la seconde tentative"),
    ("le 21e jour", "le vingt et unième jour"),
    ("les 80es rencontres", "les quatre-vingtièmes rencontres"),
    # fractions, ranges, ratios, percent
    ("1/2 tasse", "une demi-tasse"),
    ("les 3/4 du réservoir", "les trois quarts du réservoir"),
    ("2/3", "deux tiers"),
    ("¼ de litre", "un quart de litre"),
    ("note 8/10", "note huit sur dix"),
    ("10-15 °C", "dix à quinze degrés Celsius"),
    ("entre 10 et 15 %", "entre dix et quinze pour cent"),
    ("18–20 °C", "dix-huit à vingt degrés Celsius"),
    ("dosage 3:1", "dosage trois à un"),
    ("Batterie à 5%", "Batterie à cinq pour cent"),
    ("Humidité 45,5 %", "Humidité quarante-cinq virgule cinq pour cent"),
    # currency
    ("12,50 €", "douze euros cinquante"),
    ("€12.50", "douze euros cinquante"),
    ("1 €", "un euro"),
    ("0,05 €", "cinq centimes"),
    ("$5", "cinq dollars"),
    ("19,99 $", "dix-neuf dollars quatre-vingt-dix-neuf"),
    ("£3", "trois livres sterling"),
    ("0,2516 €/kWh", "zéro virgule deux cinq un six euro par kilowattheure"),
    ("80 EUR", "quatre-vingts euros"),
    # units, number and gender
    ("68 °F", "soixante-huit degrés Fahrenheit"),
    ("un virage à 90°", "un virage à quatre-vingt-dix degrés"),
    ("vent à 55 km/h", "vent à cinquante-cinq kilomètres heure"),
    ("rafales de 12 m/s", "rafales de douze mètres par seconde"),
    ("1013 hPa", "mille treize hectopascals"),
    ("1 013,2 mbar", "mille treize virgule deux millibars"),
    ("2 mm de pluie", "deux millimètres de pluie"),
    ("45 m² et 12 m³", "quarante-cinq mètres carrés et douze mètres cubes"),
    ("3 kWh", "trois kilowattheures"),
    ("1 W", "un watt"),
    ("2,4 kW, 230 V, 10 A", "deux virgule quatre kilowatts, deux cent trente volts, dix ampères"),
    ("300 lux", "trois cents lux"),
    ("35 dB", "trente-cinq décibels"),
    ("CO2 : 800 ppm", "cé o deux : huit cents parties par million"),
    ("12 µg/m³", "douze microgrammes par mètre cube"),
    ("PM2.5 à 8 µg/m3", "pé emme deux virgule cinq à huit microgrammes par mètre cube"),
    ("64 Go et 512 Mo", "soixante-quatre gigaoctets et cinq cent douze mégaoctets"),
    ("16 GB", "seize gigaoctets"),
    ("100 Mbit/s", "cent mégabits par seconde"),
    ("1 min", "une minute"),
    ("21 min", "vingt et une minutes"),
    ("1 h", "une heure"),
    ("5 s", "cinq secondes"),
    ("250 ms", "deux cent cinquante millisecondes"),
    ("50 Hz", "cinquante hertz"),
    ("1 t de sable et 2 kg de riz", "une tonne de sable et deux kilogrammes de riz"),
    ("500 Wh", "cinq cents wattheures"),
    ("-67 dBm", "moins soixante-sept décibels-milliwatts"),
    # times and durations
    ("Il est 22:05.", "Il est vingt-deux heures cinq."),
    ("à 14h30", "à quatorze heures trente"),
    ("à 14 h 30", "à quatorze heures trente"),
    ("à 7:30", "à sept heures trente"),
    ("à 00:00", "à minuit"),
    ("à 00:15", "à minuit quinze"),
    ("à 12:00", "à midi"),
    ("rendez-vous à 9h", "rendez-vous à neuf heures"),
    ("départ à 21:21", "départ à vingt et une heures vingt et une"),
    ("de 8h à 12h", "de huit heures à douze heures"),
    ("14:05:30", "quatorze heures cinq minutes trente secondes"),
    ("1 h 21 min 5 s", "une heure vingt et une minutes cinq secondes"),
    # dates, years
    ("2026-11-30", "trente novembre deux mille vingt-six"),
    ("le 30/11/2026", "le trente novembre deux mille vingt-six"),
    ("le 1/05/2026", "le premier mai deux mille vingt-six"),
    ("le 30.11.2026", "le trente novembre deux mille vingt-six"),
    ("le 30 novembre 2026", "le trente novembre deux mille vingt-six"),
    ("le 1 mai", "le premier mai"),
    ("le 1er mai", "le premier mai"),
    ("depuis 1998", "depuis mille neuf cent quatre-vingt-dix-huit"),
    ("2026-11-30T22:05:00", "trente novembre deux mille vingt-six, vingt-deux heures cinq"),
    ("2024-2026", "deux mille vingt-quatre à deux mille vingt-six"),
    # phone, versions, addresses, codes, long runs
    ("01 23 45 67 89", "zéro un, vingt-trois, quarante-cinq, soixante-sept, quatre-vingt-neuf"),
    ("06.12.34.56.78", "zéro six, douze, trente-quatre, cinquante-six, soixante-dix-huit"),
    (
        "+33 6 12 34 56 78",
        "plus trente-trois, six, douze, trente-quatre, cinquante-six, soixante-dix-huit",
    ),
    ("0612345678", "zéro six, douze, trente-quatre, cinquante-six, soixante-dix-huit"),
    ("version 2026.11.3", "version deux mille vingt-six point onze point trois"),
    ("v2.3.1", "version deux point trois point un"),
    ("192.168.1.10", "cent quatre-vingt-douze point cent soixante-huit point un point dix"),
    ("code AB12CD", "code a bé douze cé dé"),
    (
        "12345678901234",
        "un deux trois, quatre cinq six, sept huit neuf, zéro un deux, trois quatre",
    ),
    ("code 0042", "code zéro zéro quatre deux"),
    # Roman numerals where safe
    ("Louis XIV", "Louis quatorze"),
    ("François Ier", "François premier"),
    ("le XXe siècle", "le vingtième siècle"),
    ("chapitre IV", "chapitre quatre"),
    # abbreviations
    ("M. Dupont et Mme Martin", "monsieur Dupont et madame Martin"),
    ("le Dr Morel", "le docteur Morel"),
    ("lait, œufs, etc.", "lait, œufs, et cetera."),
    ("env. 5 min", "environ cinq minutes"),
    ("12 av. Foch", "douze avenue Foch"),
    ("p. ex. la cuisine", "par exemple la cuisine"),
    ("le n° 5", "le numéro cinq"),
    # acronyms
    ("la TV et la clé USB", "la té vé et la clé u esse bé"),
    ("la SNCF et la NASA", "la esse enne cé effe et la Nasa"),
    # symbols, mixed
    ("salon & cuisine", "salon et cuisine"),
    ("2 + 2 = 4", "deux plus deux égale quatre"),
    ("3 × 4", "trois fois quatre"),
    ("±2 °C", "plus ou moins deux degrés Celsius"),
    ("~20 min", "environ vingt minutes"),
    ("#1", "numéro un"),
    ("film en 4K sur la 5G", "film en quatre ka sur la cinq gé"),
    ("1920x1080", "mille neuf cent vingt par mille quatre-vingts"),
    ("light.salon_2", "light salon deux"),
    # mixed kinds: parts of hours, prices by a unit, rates, labels, shouting
    ("1/2 h", "une demi-heure"),
    ("2 ½ h", "deux heures et demie"),
    ("3/4 h", "trois quarts d'heure"),
    ("1 ½ heure", "une heure et demie"),
    ("12 €/mois", "douze euros par mois"),
    ("3 €50", "trois euros cinquante"),
    ("1,5 M€", "un virgule cinq million d'euros"),
    ("prise 3 fois/jour", "prise trois fois par jour"),
    ("il y a 1 à 2 heures", "il y a une à deux heures"),
    ("min. 3 °C, max 11 °C", "minimum trois degrés Celsius, maximum onze degrés Celsius"),
    ("Noël à J-3", "Noël à ji moins trois"),
    ("ouvert 24h/24, 7j/7", "ouvert vingt-quatre heures sur vingt-quatre, sept jours sur sept"),
    ("minuteur 00:00:45", "minuteur quarante-cinq secondes"),
    ("le 31/12", "le trente et un décembre"),
    (
        "FR76 3000 1007 9412",
        "effe erre soixante-seize trois zéro zéro zéro, un zéro zéro sept, neuf quatre un deux",
    ),
    ("plaque AB-123-CD", "plaque a bé cent vingt-trois cé dé"),
    ("S02E05", "saison deux, épisode cinq"),
    ("PORTE DU GARAGE", "Porte du Garage"),
    ("M. et Mme Roy", "monsieur et madame Roy"),
    ("un mur de 2 x 3 m", "un mur de deux par trois mètres"),
    ("note 5,5/10", "note cinq virgule cinq sur dix"),
    ("vent NNE", "vent nord-nord-est"),
    ("7:30 PM", "sept heures trente du soir"),
    ("prix au m²", "prix au mètre carré"),
    ("en €/kWh", "en euros par kilowattheure"),
    ("mar. 1er déc. 2026", "mardi premier décembre deux mille vingt-six"),
    ("15°/22°", "quinze degrés, vingt-deux degrés"),
    ("11/2026", "novembre deux mille vingt-six"),
    ("21 ½ h", "vingt et une heures et demie"),
    ("1 ⅓ l", "un litre et un tiers"),
    ("7,5 l/100 km", "sept virgule cinq litres aux cent kilomètres"),
    ("250 kcal/100 g", "deux cent cinquante kilocalories aux cent grammes"),
    ("L'UE et l'USB", "L'u e et l'u esse bé"),
    ("9h30-11h", "neuf heures trente à onze heures"),
    ("de 9h-11h30", "de neuf heures à onze heures trente"),
    ("2 h 1/2", "deux heures et demie"),
    ("1 h 1/4", "une heure et quart"),
    ("Vent de SE", "Vent de sud-est"),
    ("Vent du NO", "Vent du nord-ouest"),
    ('une télé de 65"', "une télé de soixante-cinq pouces"),
    ("2 c. à s. de sucre", "deux cuillères à soupe de sucre"),
    ("1 c. à c. de sel", "une cuillère à café de sel"),
]


@pytest.mark.parametrize(("text", "spoken"), SPOKEN, ids=[text for text, _ in SPOKEN])
def test_spoken_form(text: str, spoken: str) -> None:
    assert normalise(text, "fr") == spoken


@pytest.mark.parametrize(
    "text",
    [
        "Bonjour, tout va bien.",
        "L'ascenseur est arrivé : montez !",
        "Qu'est-ce que c'est ?",
        "Il dort. Max. et lui, non.",
    ],
)
def test_plain_words_stay(text: str) -> None:
    assert normalise(text, "fr") == text


@pytest.mark.parametrize(
    ("language", "spoken"),
    [
        ("fr-BE", "septante et un, quatre-vingts et nonante-cinq"),
        ("fr-CH", "septante et un, huitante et nonante-cinq"),
        ("fr-CA", "soixante et onze, quatre-vingts et quatre-vingt-quinze"),
    ],
)
def test_regions(language: str, spoken: str) -> None:
    assert normalise("71, 80 et 95", language) == spoken
