"""What a Spanish voice is given to say: text as a home produces it, and the words for it."""

from __future__ import annotations

import pytest

from wyoming_pocket_tts.text.normalise import normalise

NNBSP = "\u202f"  # the space the Academy asks for between groups of three digits
NBSP = "\u00a0"

SPOKEN = [
    # cardinals: apocope and gender before a noun
    ("Quedan 3 mensajes.", "Quedan tres mensajes."),
    ("Canal 1", "Canal uno"),
    ("1 luz encendida", "una luz encendida"),
    ("1 minuto y 1 hora", "un minuto y una hora"),
    ("21 dispositivos", "veintiún dispositivos"),
    ("21 personas en casa", "veintiuna personas en casa"),
    ("31 notificaciones", "treinta y una notificaciones"),
    ("200 personas", "doscientas personas"),
    ("Hay 21 en casa", "Hay veintiuno en casa"),
    ("100 y 101", "cien y ciento uno"),
    ("0 errores", "cero errores"),
    # thousands
    (
        "1.234.567 habitantes",
        "un millón doscientos treinta y cuatro mil quinientos sesenta y siete habitantes",
    ),
    (
        f"1{NNBSP}234{NNBSP}567",
        "un millón doscientos treinta y cuatro mil quinientos sesenta y siete",
    ),
    (f"12{NBSP}450 kWh", "doce mil cuatrocientos cincuenta kilovatios hora"),
    ("21.000 pasos", "veintiún mil pasos"),
    ("31.500 personas", "treinta y una mil quinientas personas"),
    ("1.000.000 de habitantes", "un millón de habitantes"),
    ("2.000.000 €", "dos millones de euros"),
    ("1,234,567", "un millón doscientos treinta y cuatro mil quinientos sesenta y siete"),
    # decimals, negatives
    ("21.5 °C", "veintiuno coma cinco grados Celsius"),
    ("21,5 °C en el salón", "veintiuno coma cinco grados Celsius en el salón"),
    ("3,05 V", "tres coma cero cinco voltios"),
    ("0,5 l", "cero coma cinco litros"),
    ("3,14159", "tres coma uno cuatro uno cinco nueve"),
    ("-3,5 °C", "menos tres coma cinco grados Celsius"),
    ("−1 °C", "menos un grado Celsius"),
    ("0.123 m", "cero coma ciento veintitrés metros"),
    # ordinals
    ("1.er piso", "primer piso"),
    ("el 1º y la 2ª", "el primero y la segunda"),
    ("la 3.ª planta", "la tercera planta"),
    ("el 3er aviso", "el tercer aviso"),
    ("el 11.º aniversario", "el undécimo aniversario"),
    ("el 21.º día", "el vigésimo primer día"),
    ("la 13ª edición", "la decimotercera edición"),
    # fractions, ranges, ratios, percent
    ("1/2 taza", "media taza"),
    ("3/4 del depósito", "tres cuartos del depósito"),
    ("2/3", "dos tercios"),
    ("½ litro", "medio litro"),
    ("nota 8/10", "nota ocho sobre diez"),
    ("10-15 °C", "diez a quince grados Celsius"),
    ("18–21 °C", "dieciocho a veintiún grados Celsius"),
    ("proporción 3:1", "proporción tres a uno"),
    ("Batería al 5%", "Batería al cinco por ciento"),
    ("45,5 %", "cuarenta y cinco coma cinco por ciento"),
    ("21 %", "veintiuno por ciento"),
    # currency
    ("12,50 €", "doce euros con cincuenta céntimos"),
    ("€12.50", "doce euros con cincuenta céntimos"),
    ("1 €", "un euro"),
    ("21 €", "veintiún euros"),
    ("0,05 €", "cinco céntimos"),
    ("$5", "cinco dólares"),
    ("$1.50", "un dólar con cincuenta centavos"),
    ("£201", "doscientas una libras"),
    ("1.234,56 €", "mil doscientos treinta y cuatro euros con cincuenta y seis céntimos"),
    ("0,2516 €/kWh", "cero coma dos cinco uno seis euros por kilovatio hora"),
    # units
    ("68 °F", "sesenta y ocho grados Fahrenheit"),
    ("girar 90°", "girar noventa grados"),
    ("55 km/h", "cincuenta y cinco kilómetros por hora"),
    ("12 m/s", "doce metros por segundo"),
    ("1013 hPa", "mil trece hectopascales"),
    ("1.013 hPa", "mil trece hectopascales"),
    ("1013,2 mbar", "mil trece coma dos milibares"),
    ("2 mm de lluvia", "dos milímetros de lluvia"),
    ("45 m² y 12 m³", "cuarenta y cinco metros cuadrados y doce metros cúbicos"),
    ("1 kWh", "un kilovatio hora"),
    ("3 kWh", "tres kilovatios hora"),
    (
        "2,4 kW, 230 V, 10 A",
        "dos coma cuatro kilovatios, doscientos treinta voltios, diez amperios",
    ),
    ("300 lux", "trescientos lux"),
    ("35 dB", "treinta y cinco decibelios"),
    ("CO2: 800 ppm", "ce o dos: ochocientas partes por millón"),
    ("12 µg/m³", "doce microgramos por metro cúbico"),
    ("PM2.5: 8 µg/m3", "pe eme dos coma cinco: ocho microgramos por metro cúbico"),
    ("64 GB y 512 MB", "sesenta y cuatro gigabytes y quinientos doce megabytes"),
    ("100 Mbit/s", "cien megabits por segundo"),
    ("1 min", "un minuto"),
    ("21 min", "veintiún minutos"),
    ("21 h", "veintiuna horas"),
    ("1 h", "una hora"),
    ("250 ms", "doscientos cincuenta milisegundos"),
    ("50 Hz", "cincuenta hercios"),
    ("1 t de arena y 2 kg de arroz", "una tonelada de arena y dos kilogramos de arroz"),
    # times and durations
    ("Son las 22:05.", "Son las veintidós y cinco."),
    ("a las 7:30", "a las siete y media"),
    ("a las 7:15", "a las siete y cuarto"),
    ("a las 22:00", "a las veintidós horas"),
    ("a las 9:00", "a las nueve"),
    ("a la 1:20", "a la una y veinte"),
    ("a las 00:00", "a las cero horas"),
    ("a las 14.30 h", "a las catorce y treinta"),
    ("a las 7:30 p. m. en casa", "a las siete y media de la tarde en casa"),
    ("a las 9 a.m.", "a las nueve de la mañana."),
    ("14:05:30", "catorce horas, cinco minutos y treinta segundos"),
    ("1 h 21 min", "una hora veintiún minutos"),
    ("12 h", "doce horas"),
    # dates
    ("2026-11-30", "treinta de noviembre de dos mil veintiséis"),
    ("el 30/11/2026", "el treinta de noviembre de dos mil veintiséis"),
    ("30 de noviembre de 2026", "treinta de noviembre de dos mil veintiséis"),
    ("el 1 de mayo", "el primero de mayo"),
    ("1.º de mayo", "primero de mayo"),
    ("01/05/2026", "primero de mayo de dos mil veintiséis"),
    ("desde 1998", "desde mil novecientos noventa y ocho"),
    ("2024-2026", "dos mil veinticuatro a dos mil veintiséis"),
    # phone, versions, addresses, codes
    ("612 345 678", "seis uno dos, tres cuatro cinco, seis siete ocho"),
    ("91 123 45 67", "nueve uno, uno dos tres, cuatro cinco, seis siete"),
    ("+34 612 345 678", "más treinta y cuatro, seis uno dos, tres cuatro cinco, seis siete ocho"),
    ("2026.11.3", "dos mil veintiséis punto once punto tres"),
    ("v2.3.1", "versión dos punto tres punto uno"),
    ("192.168.1.10", "ciento noventa y dos punto ciento sesenta y ocho punto uno punto diez"),
    ("código AB12CD", "código a be doce ce de"),
    (
        "12345678901234",
        "uno dos tres, cuatro cinco seis, siete ocho nueve, cero uno dos, tres cuatro",
    ),
    ("código 0042", "código cero cero cuatro dos"),
    # Roman numerals where safe
    ("siglo XX", "siglo veinte"),
    ("Felipe VI", "Felipe sexto"),
    ("Luis XIV", "Luis catorce"),
    ("capítulo IV", "capítulo cuarto"),
    # abbreviations
    ("el Sr. López y la Sra. Ruiz", "el señor López y la señora Ruiz"),
    ("el Dr. Gil", "el doctor Gil"),
    ("p. ej. la cocina", "por ejemplo la cocina"),
    ("leche, huevos, etc.", "leche, huevos, etcétera."),
    ("aprox. 5 min", "aproximadamente cinco minutos"),
    ("Avda. América", "avenida América"),
    ("n.º 5", "número cinco"),
    # acronyms
    ("la TV y el USB", "la te uve y el u ese be"),
    ("la DGT y la NASA", "la de ge te y la Nasa"),
    # symbols, mixed
    ("salón & cocina", "salón y cocina"),
    ("2 + 2 = 4", "dos más dos igual a cuatro"),
    ("3 × 4", "tres por cuatro"),
    ("±2 °C", "más menos dos grados Celsius"),
    ("~20 min", "aproximadamente veinte minutos"),
    ("#1", "número uno"),
    ("4K y 5G", "cuatro ka y cinco ge"),
    ("1920x1080", "mil novecientos veinte por mil ochenta"),
    ("light.salon_2", "light salon dos"),
    # mixed kinds: parts of hours, prices by a unit, rates, labels, shouting
    ("1/2 h", "media hora"),
    ("2 ½ h", "dos horas y media"),
    ("3/4 h", "tres cuartos de hora"),
    ("12 €/mes", "doce euros por mes"),
    ("1,5 M€", "uno coma cinco millones de euros"),
    ("3 veces/día", "tres veces por día"),
    ("entre 1 y 2 horas", "entre una y dos horas"),
    ("son 200 mil personas", "son doscientas mil personas"),
    ("1 millón", "un millón"),
    ("21 millones", "veintiún millones"),
    ("mín. 3 °C, máx 11 °C", "mínimo tres grados Celsius, máximo once grados Celsius"),
    ("de 8:00 a 14:00", "de ocho a catorce horas"),
    ("a las 21", "a las veintiuna"),
    ("a la 1", "a la una"),
    ("hace 20º", "hace veinte grados"),
    ("3º B", "tercero B"),
    ("II Guerra Mundial", "segunda Guerra Mundial"),
    ("s. XV", "siglo quince"),
    ("los años '90", "los años noventa"),
    ("el 31/12", "el treinta y uno de diciembre"),
    ("S02E05", "temporada dos, episodio cinco"),
    ("PUERTA DE CASA", "Puerta de Casa"),
    ("la A-7 y la AP-7", "la a siete y la a pe siete"),
    ("zona 1 activa", "zona uno activa"),
    ("500 000 personas", "quinientas mil personas"),
    ("Hay 1 coche", "Hay un coche"),
    ("D. Juan", "don Juan"),
    ("vitamina D. Luego", "vitamina D. Luego"),
    ("Pedro & Inés", "Pedro e Inés"),
    ("noviembre 2026", "noviembre de dos mil veintiséis"),
    ("precio por kWh", "precio por kilovatio hora"),
    ("21 ½ kg", "veintiún kilogramos y medio"),
    ("1 ⅓ l", "un litro y un tercio"),
    ("7,5 l/100 km", "siete coma cinco litros cada cien kilómetros"),
    ("EE. UU.", "Estados Unidos."),
    ("Un vuelo a EE. UU. hoy", "Un vuelo a Estados Unidos hoy"),
    ("Un vuelo a EE UU hoy", "Un vuelo a Estados Unidos hoy"),
    ("una ONG", "una o ene ge"),
    ("Viento del NO", "Viento del noroeste"),
    ("Viento flojo del SE.", "Viento flojo del sureste."),
    ("SE a 20 km/h", "sureste a veinte kilómetros por hora"),
]


@pytest.mark.parametrize(("text", "spoken"), SPOKEN, ids=[text for text, _ in SPOKEN])
def test_spoken_form(text: str, spoken: str) -> None:
    assert normalise(text, "es") == spoken


@pytest.mark.parametrize(
    "text", ["Buenos días, todo va bien.", "¿Qué hora es?", "¡Cuidado! La puerta está abierta."]
)
def test_plain_words_stay(text: str) -> None:
    assert normalise(text, "es") == text


def test_decimal_point_of_mexico() -> None:
    assert normalise("21.5 °C, 1,500 kWh", "es-MX") == (
        "veintiuno punto cinco grados Celsius, mil quinientos kilovatios hora"
    )
