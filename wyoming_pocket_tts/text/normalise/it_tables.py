"""Tables of words for Italian: dates, abbreviations, acronyms, nouns. The readings are in `it.py`."""

# ruff: noqa: SIM905 - a list of words is easier to read and to add to as a text
from __future__ import annotations

MONTHS = (
    "gennaio",
    "febbraio",
    "marzo",
    "aprile",
    "maggio",
    "giugno",
    "luglio",
    "agosto",
    "settembre",
    "ottobre",
    "novembre",
    "dicembre",
)
MONTH_SHORT = {
    "gen": 1,
    "genn": 1,
    "feb": 2,
    "febb": 2,
    "mar": 3,
    "apr": 4,
    "mag": 5,
    "giu": 6,
    "lug": 7,
    "ago": 8,
    "set": 9,
    "sett": 9,
    "ott": 10,
    "nov": 11,
    "dic": 12,
}
WEEKDAYS = {
    "lun": "lunedì",
    "mar": "martedì",
    "mer": "mercoledì",
    "gio": "giovedì",
    "ven": "venerdì",
    "sab": "sabato",
    "dom": "domenica",
}

ABBREVIATIONS = {
    "n°": "numero",
    "N°": "numero",
    "sec.": "secolo",
    "sig.": "signor",
    "Sig.": "signor",
    "sig.ra": "signora",
    "Sig.ra": "signora",
    "sigg.": "signori",
    "Sigg.": "signori",
    "sig.na": "signorina",
    "dott.": "dottor",
    "Dott.": "dottor",
    "dott.ssa": "dottoressa",
    "Dott.ssa": "dottoressa",
    "dr.": "dottor",
    "Dr.": "dottor",
    "prof.": "professor",
    "Prof.": "professor",
    "prof.ssa": "professoressa",
    "Prof.ssa": "professoressa",
    "ing.": "ingegner",
    "Ing.": "ingegner",
    "avv.": "avvocato",
    "Avv.": "avvocato",
    "ecc.": "eccetera",
    "ad es.": "ad esempio",
    "p. es.": "per esempio",
    "per es.": "per esempio",
    "ca.": "circa",
    "c.a.": "circa",
    "tel.": "telefono",
    "Tel.": "telefono",
    "cell.": "cellulare",
    "p.zza": "piazza",
    "P.zza": "piazza",
    "v.le": "viale",
    "V.le": "viale",
    "c.so": "corso",
    "C.so": "corso",
    "a.C.": "avanti Cristo",
    "d.C.": "dopo Cristo",
    "temp.": "temperatura",
    "art.": "articolo",
    "cap.": "capitolo",
    "pag.": "pagina",
    "pagg.": "pagine",
    "vol.": "volume",
    "cfr.": "confronta",
    "S.p.A.": "esse pi a",
    "s.r.l.": "esse erre elle",
    "gg.": "giorni",
}

# Names of the letters (Treccani, "alfabeto"); V is "vu" in TV ("ti vu").
LETTERS = {
    "A": "a",
    "B": "bi",
    "C": "ci",
    "D": "di",
    "E": "e",
    "F": "effe",
    "G": "gi",
    "H": "acca",
    "I": "i",
    "J": "i lunga",
    "K": "cappa",
    "L": "elle",
    "M": "emme",
    "N": "enne",
    "O": "o",
    "P": "pi",
    "Q": "cu",
    "R": "erre",
    "S": "esse",
    "T": "ti",
    "U": "u",
    "V": "vu",
    "W": "doppia vu",
    "X": "ics",
    "Y": "ipsilon",
    "Z": "zeta",
}

# Initialisms with a vowel that are spelled all the same; without a vowel they are spelled anyway.
SPELLED = frozenset("USB API IP UV IA UE HDMI RFID ADHD IPTV ADSL".split())

SAID = {
    "NNE": "nord-nord-est",
    "ENE": "est-nord-est",
    "ESE": "est-sud-est",
    "SSE": "sud-sud-est",
    "SSO": "sud-sud-ovest",
    "OSO": "ovest-sud-ovest",
    "ONO": "ovest-nord-ovest",
    "NNO": "nord-nord-ovest",
    "NASA": "Nasa",
    "RAI": "Rai",
    "NATO": "Nato",
    "USA": "Usa",
    "ASL": "Asl",
    "ONU": "Onu",
    "UNESCO": "Unesco",
    "UNICEF": "Unicef",
    "ENEL": "Enel",
    "ENI": "Eni",
    "ANSA": "Ansa",
    "FIAT": "Fiat",
    "INPS": "Inps",
    "ISTAT": "Istat",
    "IMU": "Imu",
    "IVA": "iva",
    "TARI": "Tari",
    "PIN": "pin",
    "SIM": "sim",
    "LED": "led",
    "MQTT": "emme cu ti ti",
    "WiFi": "wifi",
    "WIFI": "wifi",
    "CO2": "ci o due",
    "CO₂": "ci o due",
    "H2O": "acca due o",
    "O2": "o due",
    "O3": "o tre",
    "NO2": "enne o due",
    "PM2.5": "pi emme due virgola cinque",
    "PM2,5": "pi emme due virgola cinque",
    "PM10": "pi emme dieci",
    "MP3": "emme pi tre",
    "MP4": "emme pi quattro",
    "OK": "okay",
}

SYMBOLS = {
    "&": "e",
    "@": "chiocciola",
    "§": "paragrafo",
    "€": "euro",
    "$": "dollari",
    "£": "sterline",
    "%": "per cento",
    "°": "gradi",
    "+": "più",
    "=": "uguale a",
    "×": "per",
    "÷": "diviso",
    "±": "più o meno",
    "≈": "circa",
    "~": "circa",
    "≤": "minore o uguale a",
    "≥": "maggiore o uguale a",
    "<": "minore di",
    ">": "maggiore di",
    "→": "verso",
    "™": "",
    "®": "",
    "©": "copyright",
    "version": "versione",
    "port": "porta",
}

ROMAN_NOUNS = frozenset(
    "secolo capitolo tomo volume libro atto scena parte articolo allegato fase livello tipo "
    "classe titolo sezione modulo zona blocco gruppo categoria".split()
)
ROMAN_NAMES = frozenset(
    "Luigi Enrico Carlo Francesco Napoleone Filippo Giovanni Paolo Pio Leone Benedetto Gregorio "
    "Clemente Innocenzo Urbano Elisabetta Giorgio Guglielmo Edoardo Riccardo Giacomo Caterina "
    "Nicola Alessandro Pietro Federico Alberto Umberto Vittorio Emanuele Amedeo Ferdinando Giulio "
    "Sisto Bonifacio Celestino Ramses".split()
)

# Nouns in -e and -o that are feminine, and in -a that are masculine: what a home counts.
FEMININE = frozenset(
    "luce notte volte chiave parte rete torre classe frase base fase serie foto moto radio mano "
    "auto canzone chiamata voce croce neve carne gente febbre superficie parete fonte estate "
    "lavatrice lavastoviglie asciugatrice polvere pelle crisi analisi".split()
)
MASCULINE = frozenset(
    "problema sistema programma tema schema clima diploma pianeta poeta cinema cellulare dramma "
    "grammo chilogramma diagramma telegramma panorama allarme".split()
)

# Nouns that are surely nouns after "1" (an adjective could agree with what stands before: "zona 1 attiva").
ONE_FEMININE = frozenset(
    "ora luce lampada lampadina porta finestra tapparella telecamera persona allerta attività "
    "canzone settimana batteria notte volta pagina chiamata macchina stanza presa tazza bottiglia "
    "goccia lista foto riunione scatola pianta pila sterlina libbra tonnellata oncia candela rete "
    "chiave auto domanda risposta nuova sola tapparella mela uova pillola compressa caloria lira "
    "corona parte rupia iarda fetta lavatrice lavastoviglie".split()
)
ONE_MASCULINE = frozenset(
    "milione miliardo minuto secondo giorno mese anno secolo messaggio dispositivo sensore interruttore avviso "
    "errore evento promemoria timer file elemento prodotto articolo pacco pacchetto grado metro "
    "chilometro chilo chilogrammo grammo litro euro dollaro centesimo punto passo bicchiere uovo "
    "utente telefono contatto termostato ventilatore guasto tentativo episodio capitolo video "
    "libro nuovo solo quarto mezzo ciclo piano ospite robot watt chilowatt volt ampere centimetro "
    "millimetro hertz gigabyte megabyte allarme problema sistema programma cucchiaio cucchiaino "
    "spicchio aggiornamento appuntamento compleanno treno autobus biglietto".split()
)

# What follows a number without being counted by it.
FUNCTION_WORDS = frozenset(
    "con per che non nel nella nei negli nelle del della dei degli delle sul sulla sui sulle dal "
    "dalla alla alle agli allo più meno sono come quando dove dopo prima poi tra fra una uno oggi "
    "ieri domani verso circa oppure ogni fino".split()
)

ORDINAL_STEMS = (
    "prim",
    "second",
    "terz",
    "quart",
    "quint",
    "sest",
    "settim",
    "ottav",
    "non",
    "decim",
)
# Nouns and months before which "1°" is an ordinal though it is written with the sign of a degree.
AFTER_ORDINAL = (
    "piano", "posto", "giorno", "mese", "anno", "secolo", "livello", "capitolo", "turno", "binario", "volta",
    "settimana", "edizione", "classe", "elementare", "media", "tentativo", "avviso", "compleanno",
    "classificato", "classificata", "arrivato", "arrivata", "premio", "quadrimestre", "trimestre",
    "articolo", "round", "set", "tempo", "figlio", "figlia", *MONTHS,
)  # fmt: skip
# Prepositions before midnight and before one o'clock.
BEFORE_HOUR = (
    {"alle": "a ", "dalle": "da ", "delle": "di ", "le": "", "ore": "", "verso le": "verso "},
    {"alle": "all'", "dalle": "dall'", "delle": "dell'", "le": "l'", "verso le": "verso l'"},
)

# Before "1", these say that the next word is what is counted ("c'è 1 amico"); "" is the start of the text.
BEFORE_COUNT = frozenset(
    [
        "",
        *"è ho hai ha c'è resta restano manca mancano con di in e o ogni dura solo altro per".split(),
    ]
)

# Short words in capitals are words ("PORTA DI CASA"), not initials.
SHORT_WORDS = frozenset(
    "di la il in al del un una per con no sì se che lo le gli ed da tra fra su".split()
)
SAID |= {word.upper(): word for word in SHORT_WORDS}

# "5 €/mese"
PER = {
    "giorno": " al giorno", "settimana": " alla settimana", "mese": " al mese", "anno": " all'anno", "ora": " all'ora",
    "minuto": " al minuto", "notte": " a notte", "persona": " a persona", "chilowattora": " al chilowattora",
    "litro": " al litro", "chilogrammo": " al chilo", "metro quadrato": " al metro quadrato",
}  # fmt: skip
