"""Tables of words for French: dates, abbreviations, acronyms, nouns. The readings are in `fr.py`."""

# ruff: noqa: SIM905 - a list of words is easier to read and to add to as a text
from __future__ import annotations

MONTHS = (
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
)
MONTH_SHORT = {
    "janv": 1,
    "jan": 1,
    "févr": 2,
    "fév": 2,
    "fevrier": 2,
    "avr": 4,
    "juil": 7,
    "aout": 8,
    "sept": 9,
    "oct": 10,
    "nov": 11,
    "déc": 12,
    "decembre": 12,
}
WEEKDAYS = {
    "lun": "lundi",
    "mar": "mardi",
    "mer": "mercredi",
    "jeu": "jeudi",
    "ven": "vendredi",
    "sam": "samedi",
    "dim": "dimanche",
}

ABBREVIATIONS = {
    "n°": "numéro",
    "N°": "numéro",
    "nº": "numéro",
    "Mme.": "madame",
    "Etc.": "et cetera",
    "T°": "température",
    "bât.": "bâtiment",
    "arr.": "arrondissement",
    "MM.": "messieurs",
    "Mme": "madame",
    "Mmes": "mesdames",
    "Mlle": "mademoiselle",
    "Mlles": "mesdemoiselles",
    "Dr": "docteur",
    "Dr.": "docteur",
    "Pr": "professeur",
    "etc.": "et cetera",
    "env.": "environ",
    "p. ex.": "par exemple",
    "par ex.": "par exemple",
    "c.-à-d.": "c'est-à-dire",
    "càd": "c'est-à-dire",
    "cf.": "confer",
    "tél.": "téléphone",
    "Tél.": "téléphone",
    "bd.": "boulevard",
    "boul.": "boulevard",
    "appt": "appartement",
    "appt.": "appartement",
    "apt.": "appartement",
    "rdv": "rendez-vous",
    "RDV": "rendez-vous",
    "RdV": "rendez-vous",
    "rdc": "rez-de-chaussée",
    "RDC": "rez-de-chaussée",
    "svp": "s'il vous plaît",
    "SVP": "s'il vous plaît",
    "stp": "s'il te plaît",
    "qqch": "quelque chose",
    "qqn": "quelqu'un",
    "av. J.-C.": "avant Jésus-Christ",
    "apr. J.-C.": "après Jésus-Christ",
    "temp.": "température",
    "vol.": "volume",
    "art.": "article",
    "chap.": "chapitre",
    "hab.": "habitants",
    "St": "saint",
    "Ste": "sainte",
}

# Names of the letters as a French speaker spells them (Académie, 9th edition, head words of the letters).
LETTERS = {
    "A": "a",
    "B": "bé",
    "C": "cé",
    "D": "dé",
    "E": "e",
    "F": "effe",
    "G": "gé",
    "H": "ache",
    "I": "i",
    "J": "ji",
    "K": "ka",
    "L": "elle",
    "M": "emme",
    "N": "enne",
    "O": "o",
    "P": "pé",
    "Q": "qu",
    "R": "erre",
    "S": "esse",
    "T": "té",
    "U": "u",
    "V": "vé",
    "W": "double vé",
    "X": "ixe",
    "Y": "i grec",
    "Z": "zède",
    "É": "e accent aigu",
    "È": "e accent grave",
    "À": "a accent grave",
    "Ç": "cé cédille",
}

# Initialisms with a vowel that are spelled all the same; without a vowel they are spelled anyway.
SPELLED = frozenset(
    "EDF RATP TER RER USB API IP UV IA UE USA HDMI AIE RTE DIY ADSL IRM PEA OS UHT RFID ONG IPTV UHF IUT".split()
)

SAID = {
    "NNE": "nord-nord-est",
    "ENE": "est-nord-est",
    "ESE": "est-sud-est",
    "SSE": "sud-sud-est",
    "SSO": "sud-sud-ouest",
    "OSO": "ouest-sud-ouest",
    "ONO": "ouest-nord-ouest",
    "NNO": "nord-nord-ouest",
    "NASA": "Nasa",
    "OTAN": "Otan",
    "PIN": "pin",
    "ONU": "Onu",
    "UNESCO": "Unesco",
    "UNICEF": "Unicef",
    "CAF": "Caf",
    "LED": "led",
    "SIDA": "sida",
    "INSEE": "Insee",
    "CNIL": "Cnil",
    "MQTT": "emme qu té té",
    "WiFi": "wifi",
    "WIFI": "wifi",
    "CO2": "cé o deux",
    "CO₂": "cé o deux",
    "H2O": "ache deux o",
    "O2": "o deux",
    "O3": "o trois",
    "NO2": "enne o deux",
    "PM2.5": "pé emme deux virgule cinq",
    "PM2,5": "pé emme deux virgule cinq",
    "PM10": "pé emme dix",
    "MP3": "emme pé trois",
    "MP4": "emme pé quatre",
    "OK": "okay",
}

SYMBOLS = {
    "&": "et",
    "@": "arobase",
    "§": "paragraphe",
    "€": "euros",
    "$": "dollars",
    "£": "livres",
    "%": "pour cent",
    "°": "degrés",
    "+": "plus",
    "=": "égale",
    "×": "fois",
    "÷": "divisé par",
    "±": "plus ou moins",
    "≈": "environ",
    "~": "environ",
    "≤": "inférieur ou égal à",
    "≥": "supérieur ou égal à",
    "<": "inférieur à",
    ">": "supérieur à",
    "→": "vers",
    "™": "",
    "®": "",
    "©": "copyright",
}

ROMAN_NOUNS = frozenset(
    "chapitre tome volume livre acte scène partie article annexe phase étape niveau type classe "
    "saison épisode titre section module zone bloc palier groupe catégorie".split()
)
# Kings and popes: "premier", and cardinals from two on (Louis deux, Napoléon trois).
ROMAN_NAMES = frozenset(
    "Louis Henri Charles François Napoléon Philippe Jean Paul Pie Léon Benoît Grégoire Clément "
    "Innocent Urbain Élisabeth Elizabeth Georges George Guillaume Édouard Richard Jacques "
    "Catherine Nicolas Alexandre Pierre Frédéric Léopold Albert Baudouin Ramsès Ptolémée Robert "
    "Othon Alphonse Ferdinand Jean-Paul Rainier Hassan Mohammed Willem".split()
)

# Nouns that a home counts one at a time ("1 lampe", "21 notifications"); the endings in `fr.py` cover the rest.
FEMININE = frozenset(
    "heure minute seconde semaine année journée nuit fois lampe ampoule lumière prise porte "
    "fenêtre serrure caméra pièce chambre personne alarme alerte tâche page piste chanson "
    "playlist machine pile batterie zone scène mise erreur panne goutte tasse cuillère bouteille "
    "tranche étoile lettre ligne feuille réponse chaîne voiture livre tonne once place table "
    "télévision photo image vidéo facture balle dent couleur montre radio douche poubelle clé "
    "carte demande copie boîte chose mesure sortie entrée marche vitre ouverture fermeture "
    "coupure nouvelle seule petite grande".split()
)

# What follows a number without being counted by it.
FUNCTION_WORDS = frozenset(
    "est sont dans sur sous avec sans pour par que qui aux des les une mais donc car puis plus "
    "moins pas très chez vers dès entre jusque alors ainsi aussi comme lorsque quand ouvert "
    "ouverte fermé fermée allumé allumée éteint éteinte actif active inactif inactive activé "
    "activée désactivé désactivée disponible indisponible".split()
)

# Short words in capitals are words ("PORTE DU GARAGE"), not initials.
SHORT_WORDS = frozenset(
    "de la le en et du au un une par sur les des aux est pas il ne se ce à y on ou où".split()
)
SAID |= {word.upper(): word for word in SHORT_WORDS if len(word) > 1}
