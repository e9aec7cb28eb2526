"""Tables of Dutch: months, abbreviations, acronyms."""

from __future__ import annotations

from .tables import words

SCALES = {
    "mln.": "miljoen",
    "mln": "miljoen",
    "miljoen": "miljoen",
    "mld.": "miljard",
    "mld": "miljard",
    "miljard": "miljard",
    "duizend": "duizend",
}

MONTHS = (
    "januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november",
    "december",
)  # fmt: skip
MONTH_NAMES: dict[str, int] = {name: i for i, name in enumerate(MONTHS, 1)} | {
    "jan": 1, "feb": 2, "febr": 2, "mrt": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "okt": 10,
    "nov": 11, "dec": 12,
}  # fmt: skip
_DAYS = ("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag")
WEEKDAYS: dict[str, str] = {
    **{day: day for day in _DAYS},
    **{day[:2]: day for day in _DAYS},
}

ABBREVIATIONS: dict[str, str] = {
    "a.u.b.": "alstublieft",
    "s.v.p.": "alstublieft",
    "bijv.": "bijvoorbeeld",
    "Bijv.": "Bijvoorbeeld",
    "bv.": "bijvoorbeeld",
    "Bv.": "Bijvoorbeeld",
    "b.v.": "bijvoorbeeld",
    "d.w.z.": "dat wil zeggen",
    "D.w.z.": "Dat wil zeggen",
    "o.a.": "onder andere",
    "O.a.": "Onder andere",
    "m.a.w.": "met andere woorden",
    "M.a.w.": "Met andere woorden",
    "t/m": "tot en met",
    "t.o.v.": "ten opzichte van",
    "i.p.v.": "in plaats van",
    "i.v.m.": "in verband met",
    "m.b.t.": "met betrekking tot",
    "n.a.v.": "naar aanleiding van",
    "t.a.v.": "ter attentie van",
    "t.g.v.": "ten gevolge van",
    "z.o.z.": "zie ommezijde",
    "z.s.m.": "zo spoedig mogelijk",
    "n.v.t.": "niet van toepassing",
    "enz.": "enzovoort",
    "mln.": "miljoen",
    "mld.": "miljard",
    "etc.": "et cetera",
    "e.d.": "en dergelijke",
    "ca.": "circa",
    "Ca.": "Circa",
    "evt.": "eventueel",
    "Evt.": "Eventueel",
    "incl.": "inclusief",
    "excl.": "exclusief",
    "max.": "maximaal",
    "Max.": "Maximaal",
    "min.": "minimaal",
    "Min.": "Minimaal",
    "gem.": "gemiddeld",
    "Gem.": "Gemiddeld",
    "temp.": "temperatuur",
    "Temp.": "Temperatuur",
    "resp.": "respectievelijk",
    "jl.": "jongstleden",
    "a.s.": "aanstaande",
    "vgl.": "vergelijk",
    "blz.": "bladzijde",
    "hfst.": "hoofdstuk",
    "Hfst.": "Hoofdstuk",
    "tel.": "telefoon",
    "Tel.": "Telefoon",
    "nr.": "nummer",
    "Nr.": "Nummer",
    "dhr.": "de heer",
    "Dhr.": "De heer",
    "mevr.": "mevrouw",
    "Mevr.": "Mevrouw",
    "mw.": "mevrouw",
    "Mw.": "Mevrouw",
    "dr.": "doctor",
    "Dr.": "Doctor",
    "drs.": "doctorandus",
    "Drs.": "Doctorandus",
    "ir.": "ingenieur",
    "ing.": "ingenieur",
    "mr.": "meester",
    "Mr.": "Meester",
    "prof.": "professor",
    "Prof.": "Professor",
    "St.": "Sint",
    "v.Chr.": "voor Christus",
    "n.Chr.": "na Christus",
    "st.": "stuks",
    "p.p.": "per persoon",
    "p/m": "per maand",
    "p/j": "per jaar",
    "p/u": "per uur",
    "w.o.": "waaronder",
    "vnl.": "voornamelijk",
    "zgn.": "zogenaamd",
}
SENTENCE_FINAL = words("enz. etc. e.d. a.u.b. s.v.p. z.s.m. n.v.t. jl. v.Chr. n.Chr. p.p.")

SAID: dict[str, str] = {
    "NASA": "Nasa",
    "NAVO": "Navo",
    "RAM": "Ram",
    "LAN": "Lan",
    "WLAN": "W-Lan",
    "NAS": "Nas",
    "PIN": "Pin",
    "SIM": "Sim",
    "IKEA": "Ikea",
    "CO2": "C O twee",
    "H2O": "H twee O",
    "pH": "P H",
    "NW": "noordwest",
    "ZW": "zuidwest",
    "NNO": "noordnoordoost",
    "NNW": "noordnoordwest",
    "ZZO": "zuidzuidoost",
    "ZZW": "zuidzuidwest",
    "ONO": "oostnoordoost",
    "OZO": "oostzuidoost",
    "WNW": "westnoordwest",
    "WZW": "westzuidwest",
    "VLAN": "V-Lan",
    "SpO2": "S P O twee",
    "BTW": "B T W",
    "HEMA": "Hema",
    "LoRa": "Lora",
}
SPELLED = words(
    "AC AI ANWB AP API AQI AVG CEO CPU CV DC EHBO EU EV FAQ GPIO GPU HA ID IO IOT IP IR ISDN IT KI "
    "KNMI LED LTE MQTT OLED OS OTA OV OZB PIR POE RGB RGBW SSID SSH SUV TTS TV UEFI UHD UI UPS "
    "URL USA USB UTC UUID UV UVI VOC TVOC WC VVE EK WK OK ADSL ATAG AOW HDMI "
    "RFID ADHD IPTV AED UMC"
)

ROMAN_NOUNS = words(
    "hoofdstuk Hoofdstuk deel Deel band akte scène fase Fase niveau artikel Artikel klasse type "
    "Type seizoen Seizoen groep bijlage Bijlage Wereldoorlog wereldoorlog"
)
ROMAN_NAMES = words(
    "Willem Lodewijk Hendrik George Karel Filips Albert Leopold Elizabeth Johannes Paulus Pius "
    "Benedictus Leo Frans Frederik Napoleon Alexander Peter Catharina Boudewijn Ramses Otto Jan "
    "Floris"
)
# Het-words a home halves ("een half uur"); after a de-word it is "een halve" ("een halve liter").
NEUTER = words("uur jaar glas blok stuk brood ei kwartier pond gram procent dorp huis bad")
