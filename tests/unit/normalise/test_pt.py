"""What a Portuguese voice is given to say (Brazilian reading): text of a home, and its words."""

from __future__ import annotations

import pytest

from wyoming_pocket_tts.text.normalise import normalise

NNBSP = "\u202f"
NBSP = "\u00a0"

SPOKEN = [
    # cardinals: um/uma, dois/duas, hundreds; "e" between the parts
    ("Restam 3 mensagens.", "Restam três mensagens."),
    ("Canal 1", "Canal um"),
    ("1 hora e 1 minuto", "uma hora e um minuto"),
    ("2 luzes acesas", "duas luzes acesas"),
    ("2 sensores", "dois sensores"),
    ("21 dispositivos", "vinte e um dispositivos"),
    ("22 pessoas", "vinte e duas pessoas"),
    ("200 pessoas", "duzentas pessoas"),
    ("16, 17 e 19", "dezesseis, dezessete e dezenove"),
    ("100 e 101", "cem e cento e um"),
    ("0 erros", "zero erros"),
    # thousands
    (
        "1.234.567 habitantes",
        "um milhão duzentos e trinta e quatro mil quinhentos e sessenta e sete habitantes",
    ),
    (
        f"1{NNBSP}234{NNBSP}567",
        "um milhão duzentos e trinta e quatro mil quinhentos e sessenta e sete",
    ),
    (f"12{NBSP}450 kWh", "doze mil quatrocentos e cinquenta quilowatts-hora"),
    ("2.100 passos", "dois mil e cem passos"),
    ("1.000.000 de habitantes", "um milhão de habitantes"),
    ("R$ 2.000.000", "dois milhões de reais"),
    ("1,234,567", "um milhão duzentos e trinta e quatro mil quinhentos e sessenta e sete"),
    # decimals, negatives
    ("21.5 °C", "vinte e um vírgula cinco graus Celsius"),
    ("21,5 °C na sala", "vinte e um vírgula cinco graus Celsius na sala"),
    ("3,05 V", "três vírgula zero cinco volts"),
    ("0,5 l", "zero vírgula cinco litro"),
    ("1,5 km", "um vírgula cinco quilômetro"),
    ("3,14159", "três vírgula um quatro um cinco nove"),
    ("-3,5 °C", "menos três vírgula cinco graus Celsius"),
    ("−1 °C", "menos um grau Celsius"),
    ("0 °C", "zero grau Celsius"),
    ("0.123 m", "zero vírgula cento e vinte e três metro"),
    # ordinals
    ("o 1º andar", "o primeiro andar"),
    ("a 2ª porta", "a segunda porta"),
    ("o 3.º aviso", "o terceiro aviso"),
    ("o 21º dia", "o vigésimo primeiro dia"),
    ("a 13ª edição", "a décima terceira edição"),
    # fractions, ranges, ratios, percent
    ("1/2 litro", "meio litro"),
    ("1/2 xícara", "meia xícara"),
    ("3/4 do tanque", "três quartos do tanque"),
    ("2/3", "dois terços"),
    ("¼ de litro", "um quarto de litro"),
    ("nota 8/10", "nota oito de dez"),
    ("10-15 °C", "dez a quinze graus Celsius"),
    ("18–21 °C", "dezoito a vinte e um graus Celsius"),
    ("proporção 3:1", "proporção três para um"),
    ("Bateria em 5%", "Bateria em cinco por cento"),
    ("45,5 %", "quarenta e cinco vírgula cinco por cento"),
    # currency
    ("R$ 5,90", "cinco reais e noventa centavos"),
    ("R$ 1", "um real"),
    ("R$ 0,01", "um centavo"),
    ("12,50 €", "doze euros e cinquenta cêntimos"),
    ("€12.50", "doze euros e cinquenta cêntimos"),
    ("$5", "cinco dólares"),
    ("US$ 1,50", "um dólar e cinquenta centavos"),
    ("£2", "duas libras"),
    ("R$ 1.234,56", "mil duzentos e trinta e quatro reais e cinquenta e seis centavos"),
    ("R$ 0,9516/kWh", "zero vírgula nove cinco um seis real por quilowatt-hora"),
    # units
    ("68 °F", "sessenta e oito graus Fahrenheit"),
    ("vire 90°", "vire noventa graus"),
    ("55 km/h", "cinquenta e cinco quilômetros por hora"),
    ("12 m/s", "doze metros por segundo"),
    ("1013 hPa", "mil e treze hectopascais"),
    ("1.013 hPa", "mil e treze hectopascais"),
    ("1013,2 mbar", "mil e treze vírgula dois milibares"),
    ("2 mm de chuva", "dois milímetros de chuva"),
    ("45 m² e 12 m³", "quarenta e cinco metros quadrados e doze metros cúbicos"),
    ("1 kWh", "um quilowatt-hora"),
    ("3 kWh", "três quilowatts-hora"),
    ("2,4 kW, 230 V, 10 A", "dois vírgula quatro quilowatts, duzentos e trinta volts, dez amperes"),
    ("300 lux", "trezentos lux"),
    ("35 dB", "trinta e cinco decibéis"),
    ("CO2: 800 ppm", "cê ó dois: oitocentas partes por milhão"),
    ("12 µg/m³", "doze microgramas por metro cúbico"),
    ("PM2.5: 8 µg/m3", "pê eme dois vírgula cinco: oito microgramas por metro cúbico"),
    ("64 GB e 512 MB", "sessenta e quatro gigabytes e quinhentos e doze megabytes"),
    ("100 Mbit/s", "cem megabits por segundo"),
    ("1 min", "um minuto"),
    ("22 min", "vinte e dois minutos"),
    ("1 h", "uma hora"),
    ("2 h", "duas horas"),
    ("250 ms", "duzentos e cinquenta milissegundos"),
    ("50 Hz", "cinquenta hertz"),
    ("1 t de areia e 2 kg de arroz", "uma tonelada de areia e dois quilogramas de arroz"),
    # times and durations
    ("São 22:05.", "São vinte e duas horas e cinco minutos."),
    ("às 7:30", "às sete e meia"),
    ("às 14h30", "às catorze e trinta"),
    ("às 9:00", "às nove horas"),
    ("às 1:00", "à uma hora"),
    ("às 00:00", "à meia-noite"),
    ("às 00:15", "à meia-noite e quinze"),
    ("às 22h", "às vinte e duas horas"),
    ("14:05:30", "catorze horas, cinco minutos e trinta segundos"),
    ("1 h 21 min", "uma hora vinte e um minutos"),
    # dates
    ("2026-11-30", "trinta de novembro de dois mil e vinte e seis"),
    ("em 30/11/2026", "em trinta de novembro de dois mil e vinte e seis"),
    ("30 de novembro de 2026", "trinta de novembro de dois mil e vinte e seis"),
    ("dia 1 de maio", "dia primeiro de maio"),
    ("1º de maio", "primeiro de maio"),
    ("01/05/2026", "primeiro de maio de dois mil e vinte e seis"),
    ("desde 1998", "desde mil novecentos e noventa e oito"),
    ("2024-2026", "dois mil e vinte e quatro a dois mil e vinte e seis"),
    # phone, versions, addresses, codes
    ("(11) 91234-5678", "um um, nove um dois três quatro, cinco seis sete oito"),
    (
        "+55 11 91234-5678",
        "mais cinquenta e cinco, um um, nove um dois três quatro, cinco seis sete oito",
    ),
    ("3123-4567", "três um dois três, quatro cinco seis sete"),
    ("2026.11.3", "dois mil e vinte e seis ponto onze ponto três"),
    ("v2.3.1", "versão dois ponto três ponto um"),
    ("192.168.1.10", "cento e noventa e dois ponto cento e sessenta e oito ponto um ponto dez"),
    ("código AB12CD", "código á bê doze cê dê"),
    (
        "12345678901234",
        "um dois três, quatro cinco seis, sete oito nove, zero um dois, três quatro",
    ),
    ("código 0042", "código zero zero quatro dois"),
    # Roman numerals where safe
    ("século XX", "século vinte"),
    ("Pedro II", "Pedro segundo"),
    ("Luís XIV", "Luís catorze"),
    ("capítulo IV", "capítulo quarto"),
    # abbreviations
    ("o Sr. Silva e a Sra. Costa", "o senhor Silva e a senhora Costa"),
    ("o Dr. Souza", "o doutor Souza"),
    ("p. ex. a cozinha", "por exemplo a cozinha"),
    ("leite, ovos, etc.", "leite, ovos, et cetera."),
    ("aprox. 5 min", "aproximadamente cinco minutos"),
    ("Av. Paulista", "avenida Paulista"),
    ("nº 5", "número cinco"),
    # acronyms
    ("a TV e o USB", "a tê vê e o u esse bê"),
    ("o DNS e a NASA", "o dê ene esse e a Nasa"),
    # symbols, mixed
    ("sala & cozinha", "sala e cozinha"),
    ("2 + 2 = 4", "dois mais dois igual a quatro"),
    ("3 × 4", "três vezes quatro"),
    ("±2 °C", "mais ou menos dois graus Celsius"),
    ("~20 min", "aproximadamente vinte minutos"),
    ("#1", "número um"),
    ("4K e 5G", "quatro cá e cinco gê"),
    ("1920x1080", "mil novecentos e vinte por mil e oitenta"),
    ("light.sala_2", "light sala dois"),
    # mixed kinds: parts of hours, prices by a unit, rates, labels, shouting
    ("1/2 h", "meia hora"),
    ("2 ½ h", "duas horas e meia"),
    ("3/4 h", "três quartos de hora"),
    ("R$ 12/mês", "doze reais por mês"),
    ("R$ 1,5 milhão", "um vírgula cinco milhão de reais"),
    ("3 vezes/dia", "três vezes por dia"),
    ("de 1 a 2 horas", "de uma a duas horas"),
    ("2 mil pessoas", "duas mil pessoas"),
    ("R$ 2 mil", "dois mil reais"),
    ("mín. 3 °C, máx 11 °C", "mínimo três graus Celsius, máximo onze graus Celsius"),
    ("das 8h às 12h", "das oito horas às doze horas"),
    ("das 2 às 3", "das duas às três"),
    ("faz 30º hoje", "faz trinta graus hoje"),
    ("II Guerra Mundial", "segunda Guerra Mundial"),
    ("séc. XV", "século quinze"),
    ("em 31/12", "em trinta e um de dezembro"),
    (
        "+5511912345678",
        "mais cinquenta e cinco, um um nove, um dois três, quatro cinco seis, sete oito",
    ),
    ("S02E05", "temporada dois, episódio cinco"),
    ("PORTA DE CASA", "Porta de Casa"),
    ("BR-101", "bê erre cento e um"),
    ("zona 1 ativa", "zona um ativa"),
    ("2 colheres", "duas colheres"),
    ("D. Pedro II", "dom Pedro segundo"),
    ("11/2026", "novembro de dois mil e vinte e seis"),
    ("preço do kWh", "preço do quilowatt-hora"),
    ("22 1/2 h", "vinte e duas horas e meia"),
    ("7,5 l/100 km", "sete vírgula cinco litros por cem quilômetros"),
    ("9h30-11h", "das nove e meia às onze"),
    ("Aberto das 9h-12h30", "Aberto das nove às doze e meia"),
    ("3ª-feira", "terça-feira"),
    ("2ª a 6ª-feira", "segunda a sexta-feira"),
    ("1 000 passos", "mil passos"),
    ("12 500 euros", "doze mil e quinhentos euros"),
    ("ligue 912 345 678", "ligue nove um dois, três quatro cinco, seis sete oito"),
    (
        "912 345 678 passos",
        "novecentos e doze milhões trezentos e quarenta e cinco mil seiscentos e setenta e oito passos",
    ),
    ("Vento do NO", "Vento do noroeste"),
    ("Brasil 2 x 1 Argentina", "Brasil dois a um Argentina"),
    ("2 x 3 m", "dois por três metros"),
]


@pytest.mark.parametrize(("text", "spoken"), SPOKEN, ids=[text for text, _ in SPOKEN])
def test_spoken_form(text: str, spoken: str) -> None:
    assert normalise(text, "pt") == spoken


@pytest.mark.parametrize(
    "text", ["Bom dia, está tudo bem.", "Que horas são?", "Cuidado! A porta está aberta."]
)
def test_plain_words_stay(text: str) -> None:
    assert normalise(text, "pt") == text


def test_numbers_of_portugal() -> None:
    assert normalise("16, 17 e 19; 1.000.000.000 €", "pt-PT") == (
        "dezasseis, dezassete e dezanove; mil milhões de euros"
    )
    assert normalise("ligue 912 345 678", "pt-PT") == (
        "ligue nove um dois, três quatro cinco, seis sete oito"
    )
