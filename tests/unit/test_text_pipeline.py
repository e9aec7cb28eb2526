"""The text pipeline: its properties for any text and any way of cutting it, and the rules of segmentation as tables."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wyoming_pocket_tts.text.options import TextOptions
from wyoming_pocket_tts.text.pipeline import TextPipeline
from wyoming_pocket_tts.text.prepare import speakable
from wyoming_pocket_tts.text.segment import Segment

LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "nl", "")
OFF = {"markup": False, "characters": False, "normalise": False}

# Pieces that meet the difficult places more often than random characters do.
_SNIPPETS = st.sampled_from(
    [
        *(
            "Dr.",
            "Sat. ",
            "Nov. 30",
            "5 ft. ",
            "am 3.10. ",
            "max. ",
            ".) und ",
            "Mr. Smith",
            "z. B.",
            "p.m.",
            "5 p.m. today",
            "9 p.m. The",
            "J. R. R.",
            "e.g.",
            "usw.",
            "etc.",
            "No. 5",
        ),
        *(
            "98.6",
            "1,234,567",
            "192.168.1.1",
            "12:30",
            "example.com",
            "https://a.example.com/b?c=d",
            "me@example.com",
        ),
        *(
            ". ",
            ".",
            "! ",
            "? ",
            "... ",
            "… ",
            '." ',
            "?) ",
            "!» ",
            " ! ",
            "。",
            "！",
            "।",
            "؟ ",
            ", ",
            "; ",
            " – ",
            "，",
        ),
        *(
            "\n",
            "\n\n",
            "\r\n",
            " ",
            "  ",
            "\t",
            "\u00a0",
            "\u200b",
            "1. ",
            "\n- ",
            "\n# ",
            "\n> ",
            "| a | b |\n",
        ),
        *(
            "**",
            "*",
            "_",
            "`",
            "```\n",
            "~~",
            "[",
            "](",
            ")",
            "<",
            ">",
            "<b>",
            "</b>",
            "<br>",
            "&amp;",
            "&",
            "\\",
        ),
        *(
            "<speak>",
            '<break time="500ms"/>',
            "<p>",
            "</p>",
            "<s>",
            '<sub alias="x">',
            "</sub>",
            "</speak>",
        ),
        *(
            "The door is open",
            "word",
            "Zwei Worte",
            "it",
            "A",
            "été",
            "日本語",
            "😀",
            "🇩🇪",
            "👍🏽",
            "°C",
            "€12.50",
            "-3.5",
        ),
    ]
)
TEXTS = st.one_of(
    st.lists(st.one_of(_SNIPPETS, _SNIPPETS, st.text(max_size=6)), max_size=40).map("".join),
    st.text(max_size=200),
)


def words(text: str) -> int:
    """Stands in for a tokenizer: a token per word, and one per five letters."""
    return len(text.split()) + len(text) // 5


def run(
    pieces: list[str], language: str = "en", options: TextOptions | None = None
) -> list[Segment]:
    pipeline = TextPipeline(options or TextOptions(**OFF), words, language)
    segments = []
    for piece in pieces:
        segments += pipeline.feed(piece)
    return segments + pipeline.flush()


def texts(text: str, language: str = "en", **options: object) -> list[str]:
    return [s.text for s in run([text], language, TextOptions(**{**OFF, **options}))]  # type: ignore[arg-type]


def cut(text: str, places: list[int]) -> list[str]:
    edges = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[a:b] for a, b in itertools.pairwise(edges)]


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=12), st.sampled_from(LANGUAGES), st.data())
def test_segments_depend_on_the_joined_text_alone(text, places, language, data):
    options = TextOptions(
        max_tokens=data.draw(st.sampled_from([5, 20, 50])),
        first_segment_min_words=data.draw(st.sampled_from([0, 3, 5])),
        max_characters_unbroken=data.draw(st.sampled_from([40, 300])),
        sentence_pause_ms=data.draw(st.sampled_from([0, 200])),
        line_pause_ms=data.draw(st.sampled_from([0, 100])),
        text_format=data.draw(st.sampled_from([None, "ssml"])),
        markup=data.draw(st.booleans()),
        characters=data.draw(st.booleans()),
        normalise=data.draw(st.booleans()),
    )
    whole = run([text], language, options)
    assert run(cut(text, places), language, options) == whole
    assert run(list(text), language, options) == whole


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(LANGUAGES), st.sampled_from([5, 20, 50]))
def test_segments_are_slices_within_the_budget(text, language, max_tokens):
    segments = run([text], language, TextOptions(max_tokens=max_tokens, **OFF))
    assert "".join(s.text for s in segments) == (text if speakable(text) else "")
    assert all(words(s.text.strip()) <= max_tokens for s in segments)
    for before, after in zip([None, *segments], segments, strict=False):
        assert after.continuation == (before is not None and not before.ends_sentence)


# Long lines of several sentences, short lines, marks before line breaks, fences and names of files.
_LINE = st.tuples(
    st.sampled_from(["", "", "- ", "> ", "1. ", "a. ", "```py\n", "`"]),
    st.lists(
        st.sampled_from(
            ["The kitchen light is now on. ", "Is it?! ", "As it was, ", "See [a", "x. "]
        ),
        max_size=2,
    ).map("".join),
    st.sampled_from(
        ["The alarm rings at six", "and so on with all of the others", "x is one", "is"]
    ),
    st.sampled_from(
        ["", "", ".", ".py", " main.rs", " v1.2", " Dr.", "](b)", ".```", "`", "...", ":"]
    ),
    st.sampled_from(["\n", "\n", "\n", "\n\n", " \n", "\r\n", "\n```\n", "</p>"]),
).map("".join)
_LINES = st.lists(_LINE, min_size=2, max_size=6).map("".join)


@settings(max_examples=150, deadline=None)
@given(_LINES, st.lists(st.integers(0, 10_000), max_size=4), st.booleans(), st.sampled_from([0, 3]))
def test_segments_of_lines_depend_on_the_joined_text_alone(text, places, markup, first_words):
    options = TextOptions(markup=markup, first_segment_min_words=first_words)
    whole = run([text], "en", options)
    assert run(cut(text, places), "en", options) == whole
    assert run(list(text), "en", options) == whole


@pytest.mark.parametrize(
    "text",
    [
        "The kitchen light is now on. The alarm rings at six thirty.py\nx is one\nAnd so on.",
        "The kitchen light is now on. The alarm rings at six.```py\nx=1\n```\nDone now.",
        "The kitchen light is now on. The alarm rings at six.```\nx is one\n```\nDone now.",
        "The light is on now. It is, as far as anybody here has ever known,\nthe one in the hall.",
    ],
)
def test_one_cut_anywhere_changes_nothing(text):
    options = TextOptions()
    whole = run([text], "en", options)
    for place in range(len(text)):
        assert run([text[:place], text[place:]], "en", options) == whole


SENTENCES = [
    ("en", "It is 98.6 degrees in there.| The patient is fine now."),
    (
        "en",
        "There are 1,234,567 people in version 3.5.2 of 192.168.1.1 at 12:30 sharp.| That is all there is.",
    ),
    ("en", "Come at 5 p.m. today or never.| We wait for you."),
    ("en", "It was already 9 p.m.| The door was shut."),
    ("en", "It is now 21.5 °C.| The window is open."),
    ("en", "Ask Dr. Smith about it.| Mrs. Jones went to St. Louis with him."),
    ("en", "They live on Main St.| The house is red."),
    ("en", "Books by J. R. R. Tolkien are long.| Books by others are not."),
    ("en", "Bring fruit, e.g. apples or pears.| Bring bread, i.e. rolls and buns."),
    ("en", "Go to example.com for the rest.| There is more there."),
    ("en", "Bring pens, paper, etc.| Then we can begin."),
    ("en", "On Jan. 5 it will snow.| In Feb. we go skiing."),
    ("en", 'She asked me "Why now?"| Nobody had an answer.'),
    ("en", "“Is it you?” she asked me.| “It is me.”| Then they were silent."),
    ("en", "He came (really?) and left.| (Nobody saw it happen.)| That was that then."),
    ("en", "Well... maybe not today then.| Wait for the others…| Then we can go."),
    ("en", "Can it be so?!| Nobody knows for sure."),
    ("en", "1. Open the red door.| 2. Close the red door."),
    ("en", "See No. 5 on the list.| He said no.| That was the end."),
    ("en", "The U.S. Army is there.| They came from the U.S.| The rest stayed home."),
    ("fr", "M. Dupont habite ici.| Mme Durand arrive à 5 h.| Le train part tard."),
    ("fr", "Vous venez demain, non ?| « Oui, je viens ! »| Il est vraiment parti."),
    ("de", "Wir kaufen Obst, z. B. Äpfel und Birnen.| Dr. Maier kommt am 3. März zu uns."),
    ("de", "Es ist bzw. war schön.| Wir sahen Hunde, Katzen usw.| Das war alles gut."),
    ("de", "Das ist der 1. Mai in Berlin.| Die Party ist am 21.| Danach ist Ruhe hier."),
    ("es", "El Sr. Pérez vive aquí.| ¿Cómo está usted hoy?| ¡Qué bien se está!"),
    ("es", "Compra fruta, p. ej. manzanas y peras.| Luego vuelve a casa."),
    ("it", "Il sig. Rossi abita qui.| La dott.ssa Bianchi arriva alle 5."),
    ("pt", "O Sr. Silva mora aqui.| A Dra. Costa chega às 5 horas."),
    ("nl", "Dhr. Jansen woont hier nu.| Neem bijv. een appel mee.| Dat is dan alles."),
    ("zh", "今天天气很好。|我们去公园玩吧！|你们想去吗？"),
    ("hi", "आज मौसम अच्छा है।| हम बाहर जा रहे हैं।"),
]


@pytest.mark.parametrize(("language", "marked"), SENTENCES)
def test_sentences(language, marked):
    """With a sentence pause every sentence of three words and more is a segment of its own."""
    found = texts(
        marked.replace("|", ""), language, sentence_pause_ms=100, first_segment_min_words=0
    )
    assert [text.strip() for text in found] == [text.strip() for text in marked.split("|")]


READ = [
    ("de", "Wir haben am 3.10. wieder Feiertag.", "Wir haben am dritten Oktober wieder Feiertag."),
    ("de", "Am 24.12. kommt der Müll.", "Am vierundzwanzigsten Dezember kommt der Müll."),
    ("de", "Vom 24.12. bis 3.1. sind wir weg.", "Vom vierundzwanzigsten Dezember bis dritten Januar sind wir weg."),
    ("de", "Es ist am 24.12.| Danach ist Ruhe.", "Es ist am vierundzwanzigsten Dezember.| Danach ist Ruhe."),
    ("de", "Am 3.10. Feiertag, (bis 4.10.) danach nicht.", "Am dritten Oktober Feiertag, (bis vierten Oktober) danach nicht."),
    ("de", "Obst (Äpfel usw.) und Brot.", "Obst (Äpfel und so weiter) und Brot."),
    ("de", "Die Temp. beträgt hier 5 Grad.", "Die Temperatur beträgt hier fünf Grad."),
    ("de", "Die Temp. im Bad steigt, siehe Abb. 3.", "Die Temperatur im Bad steigt, siehe Abbildung drei."),
    ("en", "He lives in Apt. 4B now.", "He lives in Apartment four B now."),
    ("en", "The max. is 5 now.| Use max. 3.5 kW.", "The maximum is five now.| Use maximum three point five kilowatts."),
    ("en", "He is 5 ft. 3 in. tall now.", "He is five feet three inches tall now."),
    ("en", "We got 1.5 in. this week.", "We got one point five inches this week."),
    ("en", "We got 1.5 in. |This week is dry.", "We got one point five inches. |This week is dry."),
    ("en", "Please put it in.| Then wait for it.", "Please put it in.| Then wait for it."),
    ("en", "It is on Sat. Nov. 30 in town.", "It is on Saturday, November thirtieth in town."),
    ("en", "He can come Sat.| The rest come later.", "He can come Saturday.| The rest come later."),
    ("nl", "De temp. 21 °C is goed.", "De temperatuur eenentwintig graden Celsius is goed."),
    ("nl", "De wind is gem. 3 m/s nu.", "De wind is gemiddeld drie meter per seconde nu."),
    ("fr", "La temp. est bonne.", "La température est bonne."),
    ("es", "Vive en la Ctra. 5 de aquí.", "Vive en la carretera cinco de aquí."),
    ("it", "La temp. è di 5 gradi.", "La temperatura è di cinque gradi."),
    ("pt", "Mora no ap. 4 daqui.", "Mora no apartamento quatro daqui."),
    ("en", "1 2 3 May we begin now?", "one two three May we begin now?"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "marked", "spoken"), READ)
def test_a_stop_stays_only_where_the_sentence_ends(language, marked, spoken):
    options = {"normalise": True, "sentence_pause_ms": 100, "first_segment_min_words": 0}
    found = texts(marked.replace("|", ""), language, **options)
    assert [text.strip() for text in found] == [text.strip() for text in spoken.split("|")]


@pytest.mark.parametrize(
    ("ssml", "spoken"),
    [
        ('Code <say-as interpret-as="digits">12</say-as> November.', "Code one two November."),
        ('Code <say-as interpret-as="digits">12</say-as> kg.', "Code one two kg."),
        ('Apt. <say-as interpret-as="characters">A1</say-as>, 5 kg.', "Apartment A one, five kilograms."),
        ('<say-as interpret-as="digits">1</say-as><break time="1s"/>2 m.', "one|two meters."),
    ],
)  # fmt: skip
def test_spelled_text_is_read_for_itself(ssml, spoken):
    found = texts(f"<speak>{ssml}</speak>", markup=True, normalise=True)
    assert "|".join(found) == spoken


def test_first_segment_is_a_clause_when_the_sentence_goes_on():
    pipeline = TextPipeline(TextOptions(**OFF), words, "en")
    text = "The weather is nice today, and we will all go out to the park in the afternoon."
    taken = ""
    for character in text:
        taken += character
        if pipeline.feed(character):
            break
    assert taken == "The weather is nice today, and we w"
    assert (
        texts("Turn off the lights, please. And the heating too.")[0]
        == "Turn off the lights, please. "
    )
    assert texts("Yes, I think it will rain all day, so take a coat with you.")[0] == (
        "Yes, I think it will rain all day, "
    )
    assert texts("On May 3, 2025, we all met again in the old garden.")[0].startswith(
        "On May 3, 2025, we"
    )


def test_later_segments_are_packed():
    text = "This is sentence number one. " * 12
    sizes = [s.count("one.") for s in texts(text)]
    assert sizes == [1, 1, 3, 4, 3]


def test_short_sentences_join_a_neighbour():
    assert texts("Yes. I will come with you now.") == ["Yes. I will come with you now."]
    assert texts("I will come with you now. Yes. Really.") == [
        "I will come with you now. Yes. Really."
    ]
    assert texts("I come with you. Yes.\n\nTomorrow we go out again.") == [
        "I come with you. Yes.\n\n",
        "Tomorrow we go out again.",
    ]
    heading = "It is sunny today.\n\nTomorrow\n\nIt will rain all day."
    assert texts(heading) == ["It is sunny today.\n\n", "Tomorrow\n\nIt will rain all day."]


def test_a_sentence_over_the_budget_is_cut_at_clauses_then_between_words_in_balance():
    clauses = (
        "we went over the hill, and down to the river, and back to the house, and into the room"
    )
    found = texts(clauses, max_tokens=25, first_segment_min_words=0)
    assert all(text.endswith(", ") for text in found[:-1])
    assert "".join(found) == clauses
    unmarked = " ".join(["word"] * 40)
    sizes = [len(text.split()) for text in texts(unmarked, max_tokens=20)]
    assert len(sizes) == 4
    assert max(sizes) - min(sizes) <= 1
    segments = run([unmarked], options=TextOptions(max_tokens=20, **OFF))
    assert [s.ends_sentence for s in segments] == [False] * 3 + [True]
    assert [s.continuation for s in segments] == [False] + [True] * 3
    numbers = "take 5 km and " * 20
    for text in texts(numbers, max_tokens=20)[:-1]:
        assert not re.search(r"\d\s*$", text)


def test_one_endless_word_is_cut_by_characters():
    found = texts("x" * 1000, max_tokens=20)
    assert "".join(found) == "x" * 1000
    assert max(map(len, found)) < 100


def test_an_endless_sentence_is_given_out():
    pipeline = TextPipeline(TextOptions(max_characters_unbroken=100, **OFF), words, "en")
    given = []
    for number in range(100):
        given += pipeline.feed("and so on ")
        assert number < 30 or given
    assert len("".join(s.text for s in given)) > 800


def test_lines_and_paragraphs():
    text = "The first line of it\nThe second line of it\n\nA new paragraph begins here"
    assert [(s.text, s.pause_ms) for s in run([text])] == [
        ("The first line of it\n", 0),
        ("The second line of it\n\n", 300),
        ("A new paragraph begins here", 0),
    ]
    options = TextOptions(line_pause_ms=50, paragraph_pause_ms=70, **OFF)
    assert [s.pause_ms for s in run([text], options=options)] == [50, 70, 0]
    wrapped = "This line is only so long because somebody has wrapped\nit by hand and goes on here."
    assert texts(wrapped, first_segment_min_words=0, line_pause_ms=50) == [wrapped]


def test_idle_gives_complete_sentences_only():
    pipeline = TextPipeline(TextOptions(**OFF), words, "en")
    assert pipeline.feed("Is anybody at home?") == []
    assert [s.text for s in pipeline.idle()] == ["Is anybody at home?"]
    assert pipeline.idle() == []
    assert pipeline.feed(" I am asking you because it is 98.") == []
    assert pipeline.idle() == []
    assert pipeline.feed("6 degrees in Dr.") == []
    assert pipeline.idle() == []
    assert pipeline.feed(" Smith's house. And") == []
    assert [s.text for s in pipeline.idle()] == [
        " I am asking you because it is 98.6 degrees in Dr. Smith's house. "
    ]
    assert [(s.text, s.continuation) for s in pipeline.flush()] == [("And", False)]


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("It is done.", True),
        ("It is done. ", True),
        ("It is 21.5 °C. ", True),
        ("It is 21.", False),
        ("It is 5 p.m.", False),
        ("Ask Dr.", False),
        ("By J.", False),
        ("A line of its own\n", True),
        ("It is", False),
        ("It is,", False),
        ("He said “yes.”", True),
        ("今天天气很好。", True),
        ("See [this one. Or", False),
        ("...", False),
    ],
)
def test_what_idle_takes_for_complete(text, complete):
    pipeline = TextPipeline(TextOptions(normalise=False), words, "en")
    assert pipeline.feed(text) == []
    assert bool(pipeline.idle()) is complete


def test_nothing_to_say_gives_no_segments():
    for text in ("", " ", "...", "***\n---\n", "\n\n", "?!"):
        assert run([text]) == []


def test_long_text_is_counted_in_about_linear_time():
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text.split()) + len(text) // 5

    text = "It was a fine day, and nobody, not even the cat, wanted to stay inside for long. " * 200
    pipeline = TextPipeline(TextOptions(**OFF), count, "en")
    for character in text:
        pipeline.feed(character)
    pipeline.flush()
    assert counted < 8 * len(text)


def test_text_imports_neither_torch_nor_numpy():
    code = (
        "import sys, wyoming_pocket_tts.text.pipeline as p, wyoming_pocket_tts.text.prepare\n"
        "from wyoming_pocket_tts.text.options import TextOptions\n"
        "pipeline = p.TextPipeline(TextOptions(), len, 'en')\n"
        "pipeline.feed('Hello <b>there</b>, it is 5 km to go.'); pipeline.flush()\n"
        "sys.exit(bool({'torch', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
