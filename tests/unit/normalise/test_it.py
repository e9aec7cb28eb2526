"""What an Italian voice is given to say: text as a home produces it, and the words for it."""

from __future__ import annotations

import pytest

from wyoming_pocket_tts.text.normalise import normalise

NNBSP = "\u202f"
NBSP = "\u00a0"

SPOKEN = [
    # cardinals: uno before a noun, elision
    ("Restano 3 messaggi.", "Restano tre messaggi."),
    ("Canale 1", "Canale uno"),
    ("1 ora e 1 minuto", "un'ora e un minuto"),
    ("1 luce accesa", "una luce accesa"),
    ("1 sensore", "un sensore"),
    ("21 dispositivi", "ventuno dispositivi"),
    ("23 e 33", "ventitré e trentatré"),
    ("101 e 180", "centouno e centottanta"),
    ("0 errori", "zero errori"),
    # thousands
    ("1.234.567 abitanti", "un milione duecentotrentaquattromilacinquecentosessantasette abitanti"),
    (f"1{NNBSP}234{NNBSP}567", "un milione duecentotrentaquattromilacinquecentosessantasette"),
    (f"12{NBSP}450 kWh", "dodicimilaquattrocentocinquanta chilowattora"),
    ("21.000 passi", "ventunomila passi"),
    ("1.000.000 di abitanti", "un milione di abitanti"),
    ("2.000.000 €", "due milioni di euro"),
    ("1,234,567", "un milione duecentotrentaquattromilacinquecentosessantasette"),
    # decimals, negatives
    ("21.5 °C", "ventuno virgola cinque gradi Celsius"),
    ("21,5 °C in salotto", "ventuno virgola cinque gradi Celsius in salotto"),
    ("3,05 V", "tre virgola zero cinque volt"),
    ("0,5 l", "zero virgola cinque litri"),
    ("3,14159", "tre virgola uno quattro uno cinque nove"),
    ("-3,5 °C", "meno tre virgola cinque gradi Celsius"),
    ("−1 °C", "meno un grado Celsius"),
    ("0.123 m", "zero virgola centoventitré metri"),
    # ordinals
    ("il 1º piano", "il primo piano"),
    ("il 1° piano", "il primo piano"),
    ("la 2ª porta", "la seconda porta"),
    ("la 3a volta", "la terza volta"),
    ("il 21º giorno", "il ventunesimo giorno"),
    ("la 23ª edizione", "la ventitreesima edizione"),
    # fractions, ranges, ratios, percent
    ("1/2 litro", "mezzo litro"),
    ("1/2 tazza", "mezza tazza"),
    ("3/4 del serbatoio", "tre quarti del serbatoio"),
    ("2/3", "due terzi"),
    ("¼ di litro", "un quarto di litro"),
    ("voto 8/10", "voto otto su dieci"),
    ("10-15 °C", "da dieci a quindici gradi Celsius"),
    ("18–21 °C", "da diciotto a ventuno gradi Celsius"),
    ("da 10 a 15 minuti", "da dieci a quindici minuti"),
    ("rapporto 3:1", "rapporto tre a uno"),
    ("Batteria al 5%", "Batteria al cinque per cento"),
    ("45,5 %", "quarantacinque virgola cinque per cento"),
    # currency
    ("12,50 €", "dodici euro e cinquanta centesimi"),
    ("€12.50", "dodici euro e cinquanta centesimi"),
    ("1 €", "un euro"),
    ("21 €", "ventuno euro"),
    ("0,05 €", "cinque centesimi"),
    ("0,01 €", "un centesimo"),
    ("$5", "cinque dollari"),
    ("£1", "una sterlina"),
    ("1.234,56 €", "milleduecentotrentaquattro euro e cinquantasei centesimi"),
    ("0,2516 €/kWh", "zero virgola due cinque uno sei euro al chilowattora"),
    # units
    ("68 °F", "sessantotto gradi Fahrenheit"),
    ("gira di 90°", "gira di novanta gradi"),
    ("55 km/h", "cinquantacinque chilometri orari"),
    ("12 m/s", "dodici metri al secondo"),
    ("1013 hPa", "milletredici ettopascal"),
    ("1.013 hPa", "milletredici ettopascal"),
    ("1013,2 mbar", "milletredici virgola due millibar"),
    ("2 mm di pioggia", "due millimetri di pioggia"),
    ("45 m² e 12 m³", "quarantacinque metri quadrati e dodici metri cubi"),
    ("45 mq", "quarantacinque metri quadrati"),
    ("1 kWh", "un chilowattora"),
    ("3 kWh", "tre chilowattora"),
    ("2,4 kW, 230 V, 10 A", "due virgola quattro chilowatt, duecentotrenta volt, dieci ampere"),
    ("300 lux", "trecento lux"),
    ("35 dB", "trentacinque decibel"),
    ("CO2: 800 ppm", "ci o due: ottocento parti per milione"),
    ("12 µg/m³", "dodici microgrammi per metro cubo"),
    ("PM2.5: 8 µg/m3", "pi emme due virgola cinque: otto microgrammi per metro cubo"),
    ("64 GB e 512 MB", "sessantaquattro gigabyte e cinquecentododici megabyte"),
    ("100 Mbit/s", "cento megabit al secondo"),
    ("1 min", "un minuto"),
    ("21 min", "ventuno minuti"),
    ("1 h", "un'ora"),
    ("2 h", "due ore"),
    ("1 s", "un secondo"),
    ("250 ms", "duecentocinquanta millisecondi"),
    ("50 Hz", "cinquanta hertz"),
    ("1 t di sabbia e 2 kg di riso", "una tonnellata di sabbia e due chilogrammi di riso"),
    # times and durations
    ("Sono le 22:05.", "Sono le ventidue e cinque."),
    ("alle 7:30", "alle sette e trenta"),
    ("alle 14.30", "alle quattordici e trenta"),
    ("ore 9:00", "ore nove"),
    ("alle 1:00", "all'una"),
    ("alle 00:00", "a mezzanotte"),
    ("alle 00:15", "a mezzanotte e quindici"),
    ("alle 21:00", "alle ventuno"),
    ("14:05:30", "quattordici ore, cinque minuti e trenta secondi"),
    ("1 h 21 min", "un'ora ventuno minuti"),
    # dates
    ("2026-11-30", "trenta novembre duemilaventisei"),
    ("il 30/11/2026", "il trenta novembre duemilaventisei"),
    ("il 30.11.2026", "il trenta novembre duemilaventisei"),
    ("30 novembre 2026", "trenta novembre duemilaventisei"),
    ("il 1 maggio", "il primo maggio"),
    ("il 1° maggio", "il primo maggio"),
    ("l'8 marzo", "l'otto marzo"),
    ("dal 1998", "dal millenovecentonovantotto"),
    ("2024-2026", "da duemilaventiquattro a duemilaventisei"),
    # phone, versions, addresses, codes
    ("333 123 4567", "tre tre tre, uno due tre, quattro cinque sei sette"),
    ("+39 02 1234567", "più trentanove, zero due, uno due tre, quattro cinque, sei sette"),
    ("06 1234 5678", "zero sei, uno due tre quattro, cinque sei sette otto"),
    ("2026.11.3", "duemilaventisei punto undici punto tre"),
    ("v2.3.1", "versione due punto tre punto uno"),
    ("192.168.1.10", "centonovantadue punto centosessantotto punto uno punto dieci"),
    ("codice AB12CD", "codice a bi dodici ci di"),
    (
        "12345678901234",
        "uno due tre, quattro cinque sei, sette otto nove, zero uno due, tre quattro",
    ),
    ("codice 0042", "codice zero zero quattro due"),
    # Roman numerals where safe
    ("il XX secolo", "il ventesimo secolo"),
    ("Luigi XIV", "Luigi quattordicesimo"),
    ("Giovanni Paolo II", "Giovanni Paolo secondo"),
    ("capitolo IV", "capitolo quarto"),
    # abbreviations
    ("il sig. Rossi e la sig.ra Bianchi", "il signor Rossi e la signora Bianchi"),
    ("il dott. Verdi", "il dottor Verdi"),
    ("latte, uova, ecc.", "latte, uova, eccetera."),
    ("ad es. la cucina", "ad esempio la cucina"),
    ("ca. 5 min", "circa cinque minuti"),
    ("n. 5", "numero cinque"),
    # acronyms
    ("la TV e la chiavetta USB", "la ti vu e la chiavetta u esse bi"),
    ("la RAI e la NASA", "la Rai e la Nasa"),
    # symbols, mixed
    ("salotto & cucina", "salotto e cucina"),
    ("2 + 2 = 4", "due più due uguale a quattro"),
    ("3 × 4", "tre per quattro"),
    ("±2 °C", "più o meno due gradi Celsius"),
    ("~20 min", "circa venti minuti"),
    ("#1", "numero uno"),
    ("4K e 5G", "quattro cappa e cinque gi"),
    ("1920x1080", "millenovecentoventi per milleottanta"),
    ("light.salotto_2", "light salotto due"),
    # mixed kinds: parts of hours, prices by a unit, rates, labels, shouting
    ("1/2 h", "mezz'ora"),
    ("2 ½ h", "due ore e mezza"),
    ("1 ½ h", "un'ora e mezza"),
    ("3/4 h", "tre quarti d'ora"),
    ("12 €/mese", "dodici euro al mese"),
    ("1,5 mln €", "uno virgola cinque milioni di euro"),
    ("3 volte/giorno", "tre volte al giorno"),
    ("1 studente", "uno studente"),
    ("1 milione", "un milione"),
    ("min 3 °C, max 11 °C", "minimo tre gradi Celsius, massimo undici gradi Celsius"),
    ("ore 8:00-12:00", "dalle otto alle dodici"),
    ("dalle 8 alle 13", "dalle otto alle tredici"),
    ("all'1:30", "all'una e trenta"),
    ("20°", "venti gradi"),
    ("vinto 3-2", "vinto tre a due"),
    ("tra 5-10 minuti", "tra cinque e dieci minuti"),
    ("II Guerra Mondiale", "seconda Guerra Mondiale"),
    ("gli anni '80", "gli anni ottanta"),
    ("nel '68", "nel sessantotto"),
    ("il 31/12", "il trentuno dicembre"),
    ("800 123 456", "otto zero zero, uno due tre, quattro cinque sei"),
    ("S02E05", "stagione due, episodio cinque"),
    ("PORTA DI CASA", "Porta di Casa"),
    ("zona 1 attiva", "zona uno attiva"),
    ("123.456", "centoventitremilaquattrocentocinquantasei"),
    ("costo al kWh", "costo al chilowattora"),
    ("15°/22°", "quindici gradi, ventidue gradi"),
    ("2 ¾ h", "due ore e tre quarti"),
    ("7,5 l/100 km", "sette virgola cinque litri ogni cento chilometri"),
    ("La norma dell'UE", "La norma dell'u e"),
    ("Vento da NO", "Vento da nord-ovest"),
    ("Vento: SE", "Vento: sud-est"),
    ('un televisore da 65"', "un televisore da sessantacinque pollici"),
    ("3° classificato", "terzo classificato"),
]


@pytest.mark.parametrize(("text", "spoken"), SPOKEN, ids=[text for text, _ in SPOKEN])
def test_spoken_form(text: str, spoken: str) -> None:
    assert normalise(text, "it") == spoken


@pytest.mark.parametrize(
    "text", ["Buongiorno, va tutto bene.", "L'ascensore è arrivato: salite!", "Che ore sono?"]
)
def test_plain_words_stay(text: str) -> None:
    assert normalise(text, "it") == text
