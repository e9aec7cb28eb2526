"""Tables of words for Spanish: dates, abbreviations, acronyms, nouns. The readings are in `es.py`."""

# ruff: noqa: SIM905 - a list of words is easier to read and to add to as a text
from __future__ import annotations

MONTHS = (
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
)
MONTH_SHORT = {
    "ene": 1,
    "feb": 2,
    "abr": 4,
    "mar": 3,
    "jun": 6,
    "jul": 7,
    "ago": 8,
    "sept": 9,
    "sep": 9,
    "set": 9,
    "setiembre": 9,
    "oct": 10,
    "nov": 11,
    "dic": 12,
}
WEEKDAYS = {
    "lun": "lunes",
    "mar": "martes",
    "mié": "miércoles",
    "mie": "miércoles",
    "jue": "jueves",
    "vie": "viernes",
    "sáb": "sábado",
    "sab": "sábado",
    "dom": "domingo",
}

ABBREVIATIONS = {
    "n.º": "número",
    "nº": "número",
    "N.º": "número",
    "apdo.": "apartado",
    "Sr.": "señor",
    "Sra.": "señora",
    "Sres.": "señores",
    "Srta.": "señorita",
    "Dña.": "doña",
    "D.ª": "doña",
    "Dr.": "doctor",
    "Dra.": "doctora",
    "Prof.": "profesor",
    "Lic.": "licenciado",
    "Ing.": "ingeniero",
    "Ud.": "usted",
    "Uds.": "ustedes",
    "Vd.": "usted",
    "Vds.": "ustedes",
    "p. ej.": "por ejemplo",
    "P. ej.": "por ejemplo",
    "etc.": "etcétera",
    "aprox.": "aproximadamente",
    "Avda.": "avenida",
    "avda.": "avenida",
    "Av.": "avenida",
    "Pza.": "plaza",
    "pza.": "plaza",
    "Ctra.": "carretera",
    "c/": "calle",
    "C/": "calle",
    "s/n": "sin número",
    "tel.": "teléfono",
    "Tel.": "teléfono",
    "tfno.": "teléfono",
    "temp.": "temperatura",
    "hab.": "habitantes",
    "a. C.": "antes de Cristo",
    "d. C.": "después de Cristo",
    "EE. UU.": "Estados Unidos",
    "EE.UU.": "Estados Unidos",
    "EEUU": "Estados Unidos",
    "EE UU": "Estados Unidos",
    "vol.": "volumen",
    "art.": "artículo",
    "pág.": "página",
    "págs.": "páginas",
    "cap.": "capítulo",
    "S.A.": "ese a",
    "S.L.": "ese ele",
    "izq.": "izquierda",
    "izda.": "izquierda",
    "dcha.": "derecha",
}

# Names of the letters: Ortografía de la lengua española (2010), the names common to all ("uve", "ye", "uve doble").
LETTERS = {
    "A": "a",
    "B": "be",
    "C": "ce",
    "D": "de",
    "E": "e",
    "F": "efe",
    "G": "ge",
    "H": "hache",
    "I": "i",
    "J": "jota",
    "K": "ka",
    "L": "ele",
    "M": "eme",
    "N": "ene",
    "Ñ": "eñe",
    "O": "o",
    "P": "pe",
    "Q": "cu",
    "R": "erre",
    "S": "ese",
    "T": "te",
    "U": "u",
    "V": "uve",
    "W": "uve doble",
    "X": "equis",
    "Y": "ye",
    "Z": "zeta",
}

# Initialisms with a vowel that are spelled all the same; without a vowel they are spelled anyway.
SPELLED = frozenset("DNI ITV USB API IP UV IA UE HDMI RFID ADHD ADSL IPTV UHF DIY ONG UGT".split())

SAID = {
    "NNE": "nornoreste",
    "ENE": "estenoreste",
    "SSE": "sursureste",
    "SSO": "sursuroeste",
    "OSO": "oestesuroeste",
    "ONO": "oestenoroeste",
    "NNO": "nornoroeste",
    "NASA": "Nasa",
    "OTAN": "Otan",
    "ONU": "Onu",
    "UNESCO": "Unesco",
    "UNICEF": "Unicef",
    "RENFE": "Renfe",
    "AENA": "Aena",
    "AEMET": "Aemet",
    "IVA": "iva",
    "AVE": "ave",
    "LED": "led",
    "UCI": "uci",
    "PIN": "pin",
    "MQTT": "eme cu te te",
    "WiFi": "wifi",
    "WIFI": "wifi",
    "CO2": "ce o dos",
    "CO₂": "ce o dos",
    "H2O": "hache dos o",
    "O2": "o dos",
    "O3": "o tres",
    "NO2": "ene o dos",
    "PM2.5": "pe eme dos coma cinco",
    "PM2,5": "pe eme dos coma cinco",
    "PM10": "pe eme diez",
    "MP3": "eme pe tres",
    "MP4": "eme pe cuatro",
    "TV": "te uve",
    "OK": "okey",
}

SYMBOLS = {
    "&": "y",
    "@": "arroba",
    "§": "párrafo",
    "€": "euros",
    "$": "dólares",
    "£": "libras",
    "%": "por ciento",
    "°": "grados",
    "+": "más",
    "=": "igual a",
    "×": "por",
    "÷": "entre",
    "±": "más menos",
    "≈": "aproximadamente",
    "~": "aproximadamente",
    "≤": "menor o igual que",
    "≥": "mayor o igual que",
    "<": "menor que",
    ">": "mayor que",
    "→": "a",
    "™": "",
    "®": "",
    "©": "copyright",
    "version": "versión",
    "port": "puerto",
}

ROMAN_NOUNS = frozenset(
    "siglo siglos capítulo tomo volumen libro acto escena parte artículo anexo fase etapa nivel tipo "
    "clase título sección módulo zona bloque grupo categoría".split()
)
ROMAN_NAMES = frozenset(
    "Felipe Luis Alfonso Carlos Fernando Juan Pablo Pío León Benedicto Gregorio Clemente "
    "Inocencio Isabel Jorge Enrique Guillermo Eduardo Ricardo Jacobo Catalina Nicolás Alejandro "
    "Pedro Federico Leopoldo Alberto Ramsés Napoleón Francisco Sancho Jaime Ramiro Ordoño "
    "Bonifacio Urbano Balduino".split()
)

# Masculine in spite of their -a, and feminine in spite of their ending: what a home counts.
MASCULINE = frozenset(
    "día mapa planeta sofá cometa poeta idioma clima problema sistema programa tema esquema "
    "dilema poema teorema diagrama kilograma tranvía guardia artista electricista".split()
)
FEMININE = frozenset(
    "luz vez red llave noche tarde parte clave torre nube calle fuente clase frase base fase "
    "mujer flor pared señal sal piel imagen orden mano foto moto radio crisis tos voz nuez cruz "
    "sede serie leche carne gente suerte muerte fiebre nieve superficie".split()
)

# Nouns that are surely nouns after "1" (an adjective could agree with what stands before: "zona 1 activa").
ONE_FEMININE = frozenset(
    "hora luz lámpara bombilla puerta ventana persiana cámara persona alarma alerta tarea canción "
    "semana batería noche tarde vez página llamada máquina pieza toma cuchara cucharada taza "
    "botella gota lista foto cita videollamada reunión caja bolsa planta pila milla libra "
    "tonelada actualización habitación prenda nueva sola pantalla mascota visita red clave llave "
    "película cerradura".split()
)
ONE_MASCULINE = frozenset(
    "millón billón minuto segundo día mes año siglo mensaje dispositivo sensor enchufe interruptor aviso error "
    "evento correo recordatorio temporizador archivo elemento producto artículo paquete grado "
    "metro kilómetro kilo kilogramo gramo litro euro dólar céntimo centavo punto paso coche vaso "
    "huevo usuario teléfono contacto termostato ventilador fallo intento episodio capítulo vídeo "
    "video libro nuevo solo cuarto medio ciclo piso invitado robot vatio kilovatio voltio amperio "
    "mililitro centímetro milímetro hercio gigabyte megabyte".split()
)

# What follows a number without being counted by it.
FUNCTION_WORDS = frozenset(
    "de del en con por para que está están es son como más menos tras las los una uno unas unos "
    "sus pues hasta desde pero sin sobre según entre hacia cuando donde mientras después antes "
    "también además ambos ambas ayer hoy porque".split()
)

# Before "1", these say that the next word is what is counted ("hay 1 coche"); "" is the start of the text.
BEFORE_COUNT = frozenset(
    [
        "",
        *"hay tengo tienes tiene queda quedan falta faltan con de en y o cada hace dura son solo otro".split(),
    ]
)

# Short words in capitals are words ("PUERTA DE CASA"), not initials.
SHORT_WORDS = frozenset("de la el en y a al del los las un una por con no sí se su que es".split())
SAID |= {word.upper(): word for word in SHORT_WORDS if len(word) > 1}
