"""Tables of German: months, abbreviations, acronyms, genders of common nouns."""

from __future__ import annotations

from .tables import words
from .units import Gender

SCALES = {
    "Tsd.": "Tausend",
    "Tausend": "Tausend",
    "Mio.": "Millionen",
    "Mio": "Millionen",
    "Million": "Million",
    "Millionen": "Millionen",
    "Mrd.": "Milliarden",
    "Mrd": "Milliarden",
    "Milliarde": "Milliarde",
    "Milliarden": "Milliarden",
}

MONTHS = (
    "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
    "Dezember",
)  # fmt: skip
MONTH_NAMES: dict[str, int] = {name.lower(): i for i, name in enumerate(MONTHS, 1)} | {
    "jan": 1, "jänner": 1, "feb": 2, "feber": 2, "mär": 3, "mrz": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8,
    "sep": 9, "sept": 9, "okt": 10, "nov": 11, "dez": 12,
}  # fmt: skip
_DAYS = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
WEEKDAYS: dict[str, str] = {
    **{day.lower(): day for day in _DAYS},
    **{day[:2].lower(): day for day in _DAYS},
    "sonnabend": "Sonnabend",
}

ABBREVIATIONS: dict[str, str] = {
    "z. B.": "zum Beispiel",
    "Z. B.": "Zum Beispiel",
    "z.B": "zum Beispiel",
    "d. h.": "das heißt",
    "D. h.": "Das heißt",
    "u. a.": "unter anderem",
    "u. U.": "unter Umständen",
    "i. d. R.": "in der Regel",
    "I. d. R.": "In der Regel",
    "o. Ä.": "oder Ähnliches",
    "o. ä.": "oder ähnlich",
    "u. Ä.": "und Ähnliches",
    "s. o.": "siehe oben",
    "s. u.": "siehe unten",
    "z. T.": "zum Teil",
    "z. Zt.": "zur Zeit",
    "m. E.": "meines Erachtens",
    "n. Chr.": "nach Christus",
    "v. Chr.": "vor Christus",
    "i. A.": "im Auftrag",
    "bzw.": "beziehungsweise",
    "usw.": "und so weiter",
    "usf.": "und so fort",
    "etc.": "et cetera",
    "ca.": "circa",
    "Ca.": "Circa",
    "evtl.": "eventuell",
    "Evtl.": "Eventuell",
    "ggf.": "gegebenenfalls",
    "Ggf.": "Gegebenenfalls",
    "inkl.": "inklusive",
    "exkl.": "exklusive",
    "zzgl.": "zuzüglich",
    "abzgl.": "abzüglich",
    "max.": "maximal",
    "Max.": "Maximal",
    "min.": "minimal",
    "mind.": "mindestens",
    "Mind.": "Mindestens",
    "durchschn.": "durchschnittlich",
    "Temp.": "Temperatur",
    "vgl.": "vergleiche",
    "bzgl.": "bezüglich",
    "bspw.": "beispielsweise",
    "sog.": "sogenannte",
    "allg.": "allgemein",
    "geb.": "geboren",
    "gest.": "gestorben",
    "Abb.": "Abbildung",
    "Abs.": "Absatz",
    "Art.": "Artikel",
    "Aufl.": "Auflage",
    "Bd.": "Band",
    "Hr.": "Herr",
    "Hrn.": "Herrn",
    "Dr.": "Doktor",
    "Prof.": "Professor",
    "Dipl.-Ing.": "Diplom-Ingenieur",
    "Ing.": "Ingenieur",
    "Mag.": "Magister",
    "St.": "Sankt",
    "Str.": "Straße",
    "Pl.": "Platz",
    "Tel.": "Telefon",
    "tägl.": "täglich",
    "wöchentl.": "wöchentlich",
    "monatl.": "monatlich",
    "Std.": "Stunden",
    "Mio.": "Millionen",
    "Mrd.": "Milliarden",
    "Tsd.": "Tausend",
    "Jh.": "Jahrhundert",
    "Whg.": "Wohnung",
    "Nr.": "Nummer",
    "MwSt.": "Mehrwertsteuer",
    "Hausnr.": "Hausnummer",
    "Tel.-Nr.": "Telefonnummer",
    "Hbf.": "Hauptbahnhof",
    "Hbf": "Hauptbahnhof",
}
SENTENCE_FINAL = words("etc. usw. usf. o.Ä. u.Ä. u.a. Str. s.o. s.u. Std. n.Chr. v.Chr.")

SAID: dict[str, str] = {
    "NASA": "Nasa",
    "NATO": "Nato",
    "RAM": "Ram",
    "LAN": "Lan",
    "WLAN": "W-Lan",
    "NAS": "Nas",
    "PIN": "Pin",
    "SIM": "Sim",
    "TÜV": "Tüff",
    "ADAC": "A D A C",
    "IKEA": "Ikea",
    "EG": "Erdgeschoss",
    "OG": "Obergeschoss",
    "UG": "Untergeschoss",
    "DG": "Dachgeschoss",
    "VLAN": "V-Lan",
    "SpO2": "S P O zwei",
    "MwSt": "Mehrwertsteuer",
    "NNO": "Nordnordost",
    "NNW": "Nordnordwest",
    "SSO": "Südsüdost",
    "SSW": "Südsüdwest",
    "ONO": "Ostnordost",
    "OSO": "Ostsüdost",
    "WNW": "Westnordwest",
    "WSW": "Westsüdwest",
    "CO2": "C O zwei",
    "H2O": "H zwei O",
    "pH": "P H",
    "NW": "Nordwest",
    "SW": "Südwest",
    "GmbH": "G M B H",
    "eG": "E G",
    "PKWs": "P K Ws",
    "Pkw": "P K W",
    "Lkw": "L K W",
    "Kfz": "K F Z",
    "LoRa": "Lora",
}
SPELLED = words(
    "AC AG AI AP API AQI ARD AVM BIOS CDU CEO CPU EDV EEG EKG EM EU EV FAQ FI GPIO GPU HA ID IO IOT "
    "IP IR ISDN IT KI LED LTE MEZ MESZ MQTT OLED OS OTA PIR POE RGB RGBW RTL SSID SSH SUV TTS TV "
    "UEFI UHD UI UKW UPS URL USA USB USV UTC UUID UV UVI VOC TVOC WC WM ABS AKW EFH EZ ÖBB ÖPNV "
    "SBB HDMI RFID ADHS ADSL DSGVO AOK IPTV EZB OLG"
)

ROMAN_NOUNS = words(
    "Kapitel Teil Band Akt Szene Abschnitt Artikel Stufe Phase Klasse Folge Staffel Typ Hartz "
    "Gruppe Anhang Buch"
)
ROMAN_NAMES = words(
    "Heinrich Ludwig Georg Karl Wilhelm Friedrich Otto Elisabeth Elizabeth Philipp Johannes Paul "
    "Pius Benedikt Leo Franz Alexander Napoleon Nikolaus Peter Katharina Leopold Rudolf "
    "Maximilian August Charles Ramses Gregor"
)

# Genders of what a home counts, by the end of the word: compounds follow their last part ("Waschmaschine").
# The longest end decides; anything else is taken for masculine or neuter, which count alike ("ein").
FEMININE_ENDS = (
    "minute", "stunde", "sekunde", "woche", "lampe", "leuchte", "birne", "maschine", "batterie", "tür", "person",
    "nachricht", "uhr", "heit", "keit", "ung", "schaft", "ion", "tät", "kamera", "pumpe", "heizung", "steckdose",
    "dose", "tasse", "flasche", "szene", "etage", "stufe", "aufgabe", "seite", "frage", "folge", "datei", "nacht",
    "million", "milliarde", "mail", "karte", "liste", "gruppe", "zone", "meile", "tonne", "kerze", "wand", "stadt",
    "straße", "serie", "staffel", "kanne", "scheibe", "prise", "packung", "tüte", "rolle", "katze", "pflanze",
    "blume", "app", "taste", "sache", "frau", "schwester", "mutter", "tochter", "garage", "terrasse", "küche",
    "treppe", "mitteilung", "warnung", "störung", "meldung", "bestellung", "lieferung", "sendung", "einheit",
)  # fmt: skip
NOT_FEMININE_ENDS = (
    "name",
    "käse",
    "junge",
    "löwe",
    "kunde",
    "ende",
    "auge",
    "gebäude",
    "sprung",
    "schwung",
    "dung",
)
GENDERS: dict[str, Gender] = {
    "tag": "m", "monat": "m", "grad": "m", "raum": "m", "alarm": "m", "timer": "m", "termin": "m", "sensor": "m",
    "schalter": "m", "liter": "m", "meter": "m", "löffel": "m", "euro": "m", "cent": "m", "punkt": "m", "anruf": "m",
    "becher": "m", "teller": "m", "mann": "m", "hund": "m", "stock": "m", "fehler": "m", "treffer": "m",
    "eintrag": "m", "titel": "m", "song": "m", "artikel": "m", "film": "m", "kilometer": "m", "herd": "m", "ofen": "m",
}  # fmt: skip
