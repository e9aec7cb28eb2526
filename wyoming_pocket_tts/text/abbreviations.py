"""Abbreviations whose full stop does not (always) end a sentence, per language.

Four kinds, all in lower case and without the final stop:

- `never`: a word always follows (Dr., z. B., e.g.).
- `number`: an abbreviation only before a digit (No. 5, p. 12); a word of its own otherwise.
- `capital`: may end a sentence: it does when a capital follows (9 p.m. The door, etc. Then).
- `starter`: names follow it as well as sentences (Main St. The ..., St. Louis): it ends the sentence only when the
  next word is one that sentences begin with.

What normalisation reads as an abbreviation and none of these tables names is a `written` one, with its case ("Apt." but not
"apt"), and behaves as a `starter`. `units` are abbreviations only after a number (5 ft. 3 in. tall), and behave as `capital`.
After one of `weekdays` the day's `months` may follow (Sat. Nov. 30).

`starters` are the words that sentences begin with. In German every noun has a capital, so `capital` is read as `starter` there.

Sources: the abbreviation lists of Duden, the RAE's "Lista de abreviaturas", the "Lexique des règles typographiques en
usage à l'Imprimerie nationale", Crusca, Taalunie and the Chicago Manual of Style, reduced to what texts read at home hold.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wyoming_pocket_tts.text.normalise.base import Language


@dataclass(frozen=True)
class Abbreviations:
    """The tables of one language; see the module."""

    never: frozenset[str]
    number: frozenset[str]
    capital: frozenset[str]
    starter: frozenset[str]
    starters: frozenset[str]
    written: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    weekdays: frozenset[str] = frozenset()
    months: frozenset[str] = frozenset()
    nouns_are_capital: bool = False
    ordinals_have_stops: bool = False


_NEVER = {
    "en": "dr mr mrs ms prof rev hon pres gov sen rep gen col lt maj capt cmdr sgt cpl messrs mme mlle fr e.g i.e "
    "eg ie viz vs cf ca approx resp fig eq mt incl excl dept est tel ext attn lit orig",
    "fr": "M MM mgr dr pr me st ste p.ex ex env av apr adr tél fig éd vol chap bd cf c.-à-d resp hab max "
    "réf boul ch coll dir",
    "de": "dr prof hr fr frl dipl ing z.b d.h z.t i.d.r u.u s.o s.u v.a o.g bzw ca vgl evtl ggf inkl "
    "exkl nr tel st sog gem lt zzgl abzgl max mind allg insb bspw geb gest bes entspr ehem abs "
    "abt bd hrsg kap mio mrd tägl i.v",
    "es": "sr sra srta sres dr dra d dña prof lic ing arq excmo excma ilmo p.ej ej pág págs núm tel av avda pza gral "
    "cap vs aprox admón dpto fig ud uds vd vds a.c. máx mín ntra sto sta",
    "it": "sig sigg sig.ra dott dr prof ing avv arch geom rag on sen mons d.ssa dott.ssa prof.ssa p.es es ad pag pagg "
    "tel fig cap vol ca c.so v.le p.za vs cfr nr int max min gent spett egr",
    "pt": "sr sra srta dr dra prof profa eng arq exmo exma p.ex ex pág págs tel av núm fig cap vs aprox máx mín "
    "sto sta v.exa ilmo apto",
    "nl": "dhr mevr mw dr drs prof ir ing mr bijv bv d.w.z o.a m.b.t i.v.m t.a.v t.o.v z.g.n nr tel blz pag ca evt "
    "incl excl vgl resp max st fig afb zgn a.u.b. i.p.v m.a.w n.a.v o.b.v o.l.v mgr ds",
}
_NUMBER = {
    "en": "no nos p pp vol ch sec art para nr fl jan feb mar apr jun jul aug sep sept oct nov dec",
    "fr": "n no p pp art vol chap janv févr avr juil sept oct nov déc",
    "de": "art s p jan feb mär mrz apr jun jul aug sep sept okt nov dez mo di mi do fr sa so",
    "es": "art n no p pp vol ene feb mar abr may jun jul ago sep sept oct nov dic",
    "it": "art n p pp gen feb mar apr mag giu lug ago set sett ott nov dic",
    "pt": "art n no p pp vol jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "art p pp vol jan feb mrt apr jun jul aug sep sept okt nov dec ma di wo do vr za zo",
}
_CAPITAL = {
    "en": "a.m p.m etc inc ltd co corp bros jr sr ph.d b.a m.a b.sc m.sc a.d b.c jan feb mar apr jun jul aug sep "
    "sept oct nov dec mon tue tues wed thu thur thurs fri sat sun min sec hr hrs yr yrs wk lb lbs oz al",
    "fr": "etc janv févr avr juil sept oct nov déc cie j.-c s.a mn min sec h lun mar mer jeu ven sam dim",
    "de": "usw etc u.a o.ä dgl u.dgl jan feb mär mrz apr jun jul aug sep sept okt nov dez mo di mi sa std sek min "
    "str pl co jh jhd n.chr v.chr a.d",
    "es": "etc ee.uu ene feb mar abr may jun jul ago sep sept oct nov dic a.m p.m s.a s.l cía a.c d.c lun mar mié jue vie "
    "sáb dom hnos",
    "it": "ecc etc gen feb mar apr mag giu lug ago set sett ott nov dic a.c d.c s.p.a s.r.l lun mar mer gio ven sab dom",
    "pt": "etc jan fev mar abr mai jun jul ago set out nov dez a.m p.m s.a ltda cia a.c d.c seg ter qua qui sex sáb dom",
    "nl": "enz etc e.d jan feb mrt apr jun jul aug sep sept okt nov dec b.v n.v ma di wo do vr za e.a min v.chr n.chr",
}
_STARTER = {
    "en": "st ave blvd rd ln hwy dr u.s u.k u.n u.s.a",
    "fr": "",
    "de": "st u.s.a",
    "es": "",
    "it": "",
    "pt": "",
    "nl": "st",
}
_STARTERS = {
    "en": "the a an it he she they we you i this that these those there here in on at by for from with as if when while "
    "where what who why how is are was were do does did can could will would should please then now today tomorrow "
    "yesterday tonight and but or so also however meanwhile after before once your my our his her its their no not "
    "yes everything everyone all some most both each every one two three next finally first turn",
    "fr": "le la les l un une des du de il elle ils elles on nous vous je tu ce cet cette ces cela ça c'est dans en sur à "
    "au aux pour par avec sans si quand où que qui quoi comment pourquoi et mais ou donc aussi puis alors ensuite "
    "après avant aujourd'hui demain hier mon ma mes ton ta tes son sa ses notre votre leur non oui tout tous toutes",
    "de": "der die das den dem des ein eine einen einem einer es er sie wir ich ihr du man dies diese dieser dieses dort "
    "hier in im am an auf bei für von mit als wenn wann wo was wer warum wie ist sind war waren hat haben kann "
    "können wird werden soll sollte bitte dann jetzt nun heute morgen gestern und aber oder so auch doch danach "
    "davor mein meine dein deine sein seine unser unsere euer eure ihre kein keine nein nicht ja alle alles beide "
    "jede jeder zuerst schließlich außerdem zudem nach vor seit um bis zum zur",
    "es": "el la los las lo un una unos unas él ella ellos ellas yo tú usted nosotros es son era está están hay esto este "
    "esta estos estas eso en por para con sin de del al a si cuando donde qué quién cómo y pero o también luego "
    "entonces después antes hoy mañana ayer mi tu su nuestro no sí todo todos todas",
    "it": "il lo la i gli le l un uno una lui lei loro io tu noi voi è sono era c'è ci questo questa questi queste "
    "quello in nel nella su per con senza di del da dal a al se quando dove che chi come e ma o anche poi allora "
    "dopo prima oggi domani ieri mio tuo suo nostro non sì no tutto tutti tutte",
    "pt": "o a os as um uma ele ela eles elas eu tu você nós é são era está estão há isto este esta isso em no na nos "
    "nas por para com sem de do da se quando onde que quem como e mas ou também depois então antes hoje amanhã ontem "
    "meu minha seu sua nosso não sim tudo todos todas",
    "nl": "de het een hij zij ze we wij ik jij je u dit dat deze die er hier daar in op aan bij voor van met als wanneer "
    "waar wat wie waarom hoe is zijn was waren heeft kan kunnen zal wordt en maar of dus ook dan nu vandaag morgen "
    "gisteren mijn jouw uw ons onze hun geen nee niet ja alle alles beide elke eerst daarna",
}

_UNITS = {"en": "in ft yd mi pt qt gal sq cu"}

LANGUAGES = frozenset(_NEVER)


@cache
def abbreviations(language: str) -> Abbreviations:
    """The tables of `language` ("en", "de", ...); English ones for a language without tables."""
    known = language if language in LANGUAGES else "en"

    def words(table: dict[str, str]) -> frozenset[str]:
        return frozenset(table[known].split())

    # Imported when needed: normalisation reads the same words, and has many more tables.
    module = importlib.import_module(f"wyoming_pocket_tts.text.normalise.{known}")
    read: Language = module.language("")
    return Abbreviations(
        never=words(_NEVER),
        number=words(_NUMBER),
        capital=words(_CAPITAL),
        starter=words(_STARTER),
        starters=words(_STARTERS),
        written=frozenset(
            written[:-1].replace(" ", "") for written in read.abbreviations if written[-1] == "."
        ),
        units=frozenset(_UNITS.get(known, "").split()),
        weekdays=frozenset(read.weekdays),
        months=frozenset(read.month_names),
        nouns_are_capital=known == "de",
        ordinals_have_stops=known == "de",
    )
