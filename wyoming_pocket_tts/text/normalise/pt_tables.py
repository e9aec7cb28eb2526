"""Tables of words for Portuguese: dates, abbreviations, acronyms, nouns. The readings are in `pt.py`."""

# ruff: noqa: SIM905 - a list of words is easier to read and to add to as a text
from __future__ import annotations

MONTHS = (
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
)
MONTH_SHORT = {
    "jan": 1,
    "fev": 2,
    "abr": 4,
    "mar": 3,
    "jun": 6,
    "jul": 7,
    "ago": 8,
    "set": 9,
    "out": 10,
    "nov": 11,
    "dez": 12,
}
WEEKDAYS = {
    "seg": "segunda-feira",
    "ter": "terça-feira",
    "qua": "quarta-feira",
    "qui": "quinta-feira",
    "sex": "sexta-feira",
    "sáb": "sábado",
    "sab": "sábado",
    "dom": "domingo",
}

ABBREVIATIONS = {
    "nº": "número",
    "n.º": "número",
    "Apto.": "apartamento",
    "nro.": "número",
    "Sr.": "senhor",
    "Sra.": "senhora",
    "Srs.": "senhores",
    "Sras.": "senhoras",
    "Srta.": "senhorita",
    "Dr.": "doutor",
    "Dra.": "doutora",
    "Prof.": "professor",
    "Profa.": "professora",
    "Eng.": "engenheiro",
    "V. Exa.": "vossa excelência",
    "p. ex.": "por exemplo",
    "p.ex.": "por exemplo",
    "P. ex.": "por exemplo",
    "etc.": "et cetera",
    "aprox.": "aproximadamente",
    "Av.": "avenida",
    "av.": "avenida",
    "Pça.": "praça",
    "Rod.": "rodovia",
    "apto.": "apartamento",
    "ap.": "apartamento",
    "tel.": "telefone",
    "Tel.": "telefone",
    "cel.": "celular",
    "temp.": "temperatura",
    "hab.": "habitantes",
    "a.C.": "antes de Cristo",
    "d.C.": "depois de Cristo",
    "Ltda.": "limitada",
    "art.": "artigo",
    "cap.": "capítulo",
    "pág.": "página",
    "págs.": "páginas",
    "vol.": "volume",
    "cf.": "confira",
    "vc": "você",
    "obs.": "observação",
    "Obs.": "observação",
    "s/n": "sem número",
}

# Names of the letters (Acordo Ortográfico de 1990, Base I), with the Brazilian "efe", "gê", "jota", "cá", "dáblio".
LETTERS = {
    "A": "á",
    "B": "bê",
    "C": "cê",
    "D": "dê",
    "E": "é",
    "F": "efe",
    "G": "gê",
    "H": "agá",
    "I": "i",
    "J": "jota",
    "K": "cá",
    "L": "ele",
    "M": "eme",
    "N": "ene",
    "O": "ó",
    "P": "pê",
    "Q": "quê",
    "R": "erre",
    "S": "esse",
    "T": "tê",
    "U": "u",
    "V": "vê",
    "W": "dáblio",
    "X": "xis",
    "Y": "ípsilon",
    "Z": "zê",
}

# Initialisms with a vowel that are spelled all the same; without a vowel they are spelled anyway.
SPELLED = frozenset("USB API IP UV IA UE HDMI RFID IPTV ONG IPTU IPVA ADSL CPTM IBGE".split())

SAID = {
    "NNE": "nor-nordeste",
    "ENE": "és-nordeste",
    "SSE": "su-sudeste",
    "SSO": "su-sudoeste",
    "OSO": "oés-sudoeste",
    "ONO": "oés-noroeste",
    "NNO": "nor-noroeste",
    "NASA": "Nasa",
    "OTAN": "Otan",
    "ONU": "Onu",
    "UNESCO": "Unesco",
    "UNICEF": "Unicef",
    "INMET": "Inmet",
    "ANATEL": "Anatel",
    "ANEEL": "Aneel",
    "CEP": "Cep",
    "LED": "led",
    "PIN": "pin",
    "PIX": "pix",
    "SUS": "sus",
    "EUA": "Estados Unidos",
    "MQTT": "eme quê tê tê",
    "WiFi": "wifi",
    "WIFI": "wifi",
    "CO2": "cê ó dois",
    "CO₂": "cê ó dois",
    "H2O": "agá dois ó",
    "O2": "ó dois",
    "O3": "ó três",
    "NO2": "ene ó dois",
    "PM2.5": "pê eme dois vírgula cinco",
    "PM2,5": "pê eme dois vírgula cinco",
    "PM10": "pê eme dez",
    "MP3": "eme pê três",
    "MP4": "eme pê quatro",
    "OK": "oquei",
}

SYMBOLS = {
    "&": "e",
    "@": "arroba",
    "§": "parágrafo",
    "€": "euros",
    "$": "dólares",
    "£": "libras",
    "%": "por cento",
    "°": "graus",
    "+": "mais",
    "=": "igual a",
    "×": "vezes",
    "÷": "dividido por",
    "±": "mais ou menos",
    "≈": "aproximadamente",
    "~": "aproximadamente",
    "≤": "menor ou igual a",
    "≥": "maior ou igual a",
    "<": "menor que",
    ">": "maior que",
    "→": "para",
    "™": "",
    "®": "",
    "©": "copyright",
    "version": "versão",
    "port": "porta",
}

ROMAN_NOUNS = frozenset(
    "século capítulo tomo volume livro ato cena parte artigo anexo fase etapa nível tipo classe "
    "título seção módulo zona bloco grupo categoria".split()
)
ROMAN_NAMES = frozenset(
    "Pedro João Luís Afonso Carlos Fernando Manuel José Miguel Paulo Pio Leão Bento Gregório "
    "Clemente Inocêncio Isabel Elizabeth Jorge Henrique Guilherme Eduardo Ricardo Napoleão "
    "Catarina Nicolau Alexandre Frederico Leopoldo Alberto Sancho Dinis Sebastião Filipe Ramsés".split()
)

# Masculine in spite of their -a, and feminine in spite of their ending: what a home counts.
MASCULINE = frozenset(
    "dia mapa planeta sofá cometa poeta idioma clima problema sistema programa tema esquema "
    "dilema poema teorema grama quilograma diagrama telegrama guarda artista eletricista turista "
    "nauta".split()
)
FEMININE = frozenset(
    "luz luzes vez vezes rede redes chave chaves noite noites tarde tardes parte partes torre "
    "torres classe classes base fase frase frases fonte fontes mulher mulheres flor flores parede "
    "paredes cor cores mão mãos foto fotos moto motos mensagem mensagens imagem imagens voz vozes "
    "cruz série séries gente nuvem nuvens ordem ordens viagem viagens garagem".split()
)

# Nouns that are surely nouns after "1" (an adjective could agree with what stands before: "zona 1 ativa").
ONE_FEMININE = frozenset(
    "hora luz lâmpada porta janela persiana câmera câmara pessoa alerta tarefa música semana "
    "bateria noite tarde vez página chamada máquina peça tomada xícara colher garrafa gota lista "
    "foto reunião caixa planta pilha milha libra tonelada planta tela visita rede chave resposta "
    "pergunta nova só cortina fechadura tv televisão caloria parte rotação polegada onça jarda "
    "fatia pitada dose".split()
)

# What follows a number without being counted by it.
FUNCTION_WORDS = frozenset(
    "de do da dos das em no na nos nas com por para que está estão são como mais menos após até "
    "desde pelo pela pelos pelas entre sobre sem mas sob uma uns umas cada quando onde depois "
    "antes hoje ontem amanhã porque também à às contra".split()
)

# Nouns and months before which "1°" is an ordinal though it is written with the sign of a degree.
AFTER_ORDINAL = (
    "andar", "lugar", "dia", "mês", "ano", "século", "nível", "capítulo", "turno", "aviso", "aniversário", "piso",
    "de",
)  # fmt: skip

# Short words in capitals are words ("PORTA DE CASA"), not initials.
SHORT_WORDS = frozenset(
    "de do da em no na um uma por com não se que os as ao dos das nos nas ou ao é à".split()
)
SAID |= {word.upper(): word for word in SHORT_WORDS if len(word) > 1}
