"""The steps on a unit of text: markup, addresses, SSML, characters; and their properties through the pipeline."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wyoming_pocket_tts.text.addresses import speak_addresses
from wyoming_pocket_tts.text.characters import fold, restrict
from wyoming_pocket_tts.text.markup import drop_emoji, speak_markdown
from wyoming_pocket_tts.text.options import TextOptions, TextRules
from wyoming_pocket_tts.text.pipeline import TextPipeline
from wyoming_pocket_tts.text.prepare import prepare
from wyoming_pocket_tts.text.segment import Segment
from wyoming_pocket_tts.text.ssml import Part, break_ms, parse_ssml


def run(text: str, language: str = "", **options: object) -> list[Segment]:
    settings_ = TextOptions(**{"normalise": False, **options})  # type: ignore[arg-type]
    pipeline = TextPipeline(settings_, lambda t: len(t.split()) + len(t) // 5, language)
    whole = pipeline.feed(text) + pipeline.flush()
    pipeline = TextPipeline(settings_, lambda t: len(t.split()) + len(t) // 5, language)
    assert [s for c in text for s in pipeline.feed(c)] + pipeline.flush() == whole
    return whole


def said(text: str, language: str = "", **options: object) -> str:
    """What a listener hears: prepared segments, joined."""
    return " ".join(prepare(s, TextRules()).text for s in run(text, language, **options))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Weather today ##", "Weather today"),
        ("- one thing", "one thing"),
        ("* [x] done thing", "done thing"),
        ("• one thing", "one thing"),
        ("3. third thing", "3. third thing"),
        ("> quoted words", "quoted words"),
        ("- - -", ""),
        ("> - # one thing", "one thing"),
        ("- - one\n  - [ ] two", "one\ntwo"),
        ("***", ""),
        ("| Room | 21 °C |", "Room, 21 °C"),
        ("|:---|---:|", ""),
        ("**bold** and *it* and ***both***", "bold and it and both"),
        ("__bold__ and _it_", "bold and it"),
        ("a **bold. Then", "a bold. Then"),
        ("2*3 and 2 * 3", "2*3 and 2 * 3"),
        ("snake_case_name", "snake case name"),
        ("~~gone~~", "gone"),
        ("run `ls -l` now", "run ls -l now"),
        ("see [the page](https://example.com/a_(b)) now", "see the page now"),
        ("see [the page][1] now", "see the page now"),
        ("it is so [1].", "it is so."),
        ("![a cat](cat.png)", "a cat"),
        ("[![a cat](cat.png)](https://example.com)", "a cat"),
        ("<https://example.com>", "https://example.com"),
        ("a <b>bold</b> <span class='x'>word</span>", "a bold word"),
        ("one<br>two", "one\ntwo"),
        ("<!-- no --> yes", "  yes"),
        ("a < b > c and <name>", "a < b > c and <name>"),
        ("Tom &amp; Jerry &#8364; &nosuch;", "Tom & Jerry € &nosuch;"),
        (r"\*not bold\*", "*not bold*"),
        ("```python\nx = 1\n```\nafter", "after"),
        ("```\nnever closed", ""),
        ("plain text, nothing else", "plain text, nothing else"),
    ],
)
def test_markdown(text, expected):
    assert speak_markdown(text, line_start=True) == expected


def test_block_marks_count_at_the_start_of_a_line_only():
    assert speak_markdown("- 5 is less", line_start=False) == "- 5 is less"
    assert speak_markdown("# 5", line_start=False) == "# 5"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Great 😀!", "Great!"),
        ("👍🏽 yes", " yes"),
        ("a👨‍👩‍👧b", "a b"),
        ("flag 🇩🇪.", "flag."),
        ("1️⃣ first", " 1 first"),
        ("on → off", "on, off"),
        ("on -> off", "on, off"),
        ("no emoji", "no emoji"),
    ],
)
def test_emoji(text, expected):
    assert drop_emoji(text) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Go to https://www.example.com.", "Go to example dot com."),
        ("en", "(see example.org/help)", "(see example dot org slash help)"),
        ("en", "http://a.example.com/x?y=1&z=2, then", "a dot example dot com, then"),
        ("en", "ha.local:8123 is up", "ha dot local port 8 1 2 3 is up"),
        ("en", "http://192.168.1.20:81/", "192.168.1.20 port 8 1"),
        ("en", "example.co.uk", "example dot co dot U K"),
        ("en", "my-site.com", "my dash site dot com"),
        ("fr", "exemple.fr", "exemple point F R"),
        ("de", "beispiel.de", "beispiel Punkt D E"),
        ("es", "ejemplo.es", "ejemplo punto es"),
        ("it", "esempio.it", "esempio punto it"),
        ("pt", "exemplo.pt", "exemplo ponto P T"),
        ("nl", "voorbeeld.nl", "voorbeeld punt N L"),
        ("en", "anna.b@example.com", "anna dot b at example dot com"),
        ("de", "anna@beispiel.de", "anna at beispiel Punkt D E"),
        ("fr", "anna@exemple.fr", "anna arobase exemple point F R"),
        (
            "en",
            "README.md and U.S. and e.g. and 3.5 and there.It",
            "README.md and U.S. and e.g. and 3.5 and there.It",
        ),
    ],
)
def test_addresses(language, text, expected):
    assert speak_addresses(text, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it’s ‘so’ ʼtis `x´", "it's 'so' 'tis 'x'"),
        ("“a” «b» „c“", '"a" "b" "c"'),
        ("wait… and.... and . . .", "wait... and... and..."),
        ("ＡＢＣ１２３！", "ABC123!"),
        ("ﬁne 𝐛𝐨𝐥𝐝", "fine bold"),
        ("a\u200bb\ufeffc\u00add", "abcd"),
        ("a\u00a0b\u202fc", "a b c"),
        ("1\u202f234", "1\u202f234"),
        ("a\x00b\x1bc", "a b c"),
        ("a\u2028b", "a\nb"),
        ("−5 ‑ x", "-5 - x"),
        ("cafe\u0301", "café"),
        ("no!!! what??", "no! what?"),
        ("m² ½ µg/m³ °C", "m² ½ µg/m³ °C"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("x\ud800y", "xy"),
    ],
)
def test_fold(text, expected):
    assert fold(text) == expected


def test_restrict_to_a_vocabulary():
    def known(character: str) -> bool:
        return character in ".,!?'-é "

    assert restrict("Été — é: «straße» naïve ☃ (ok)\n", known) == "Eté , é,  strasse  naive  , ok\n"
    assert restrict("привет", known).strip() == ""
    assert restrict("plain", known) == "plain"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The door (at the front) is open.", "The door, at the front, is open."),
        ("(It was closed.) Then it was open.", "It was closed. Then it was open."),
        ("Is it open (really)?", "Is it open, really?"),
        ("One, (two) three", "One, two, three"),
        ("a\n(b)\nc", "a\nb\nc"),
        ("the house [sic], ours", "the house, sic, ours"),
        ("((twice))", "twice"),
        ("()", ""),
    ],
)
def test_brackets_that_a_vocabulary_lacks_are_pauses(text, expected):
    assert restrict(text, lambda character: character not in "()[]") == expected
    assert restrict(text, lambda character: True) == text


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('time="500ms"', 500),
        ("time='1.5s'/", 1500),
        ('time="0.25s"', 250),
        ('time="90s"', 10_000),
        ('time="-1s"', 400),
        ('strength="none"', 0),
        ('strength="x-strong"', 1000),
        ("", 400),
        ('time="soon"', 400),
    ],
)
def test_break_lengths(attributes, expected):
    assert break_ms(attributes) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a <break time="1s"/>b', [Part("a ", 1000), Part("b")]),
        ('<sub alias="World Wide Web">WWW</sub> x', [Part("World Wide Web x")]),
        ('<say-as interpret-as="characters">AB1</say-as>', [Part("A B 1")]),
        ('<say-as interpret-as="ordinal">3</say-as>', [Part("3rd")]),
        ('<say-as interpret-as="date">2024-05-01</say-as>', [Part("2024-05-01")]),
        ('<prosody rate="fast">a\nb</prosody> &amp; c', [Part("a b & c")]),
        ("<voice name='x'>hi</voice><!-- no --><mark name='y'/>", [Part("hi")]),
        ("a < b <", [Part("a < b <")]),
    ],
)
def test_ssml(text, expected):
    assert parse_ssml(text, "en") == expected


def test_breaks_become_pauses_of_segments():
    text = (
        '<speak><break time="1s"/>Hello there my friend. <break time="500ms"/> Wait <break time="250ms"/> for the others.'
        "<p>One paragraph is here.</p><p>Another one is there.</p></speak>"
    )
    found = [(s.text.strip(), s.pause_ms, s.continuation, s.ends_sentence) for s in run(text)]
    assert found == [
        ("", 1000, False, True),
        ("Hello there my friend.", 500, False, True),
        ("Wait", 250, False, False),
        ("for the others.", 300, True, True),
        ("One paragraph is here.", 300, False, True),
        ("Another one is there.", 0, False, True),
    ]
    assert said('<break time="1s"/>Hello there', text_format="ssml") == " Hello there."
    assert said('say <break time="1s"/>Hello there') == "Say Hello there."


def test_an_answer_of_a_language_model():
    text = (
        "# Living room\n\nIt’s **21 degrees** there. [Details](https://example.com/x. y) are *here*.\n\n"
        "- First item\n- Second item\n\n```yaml\nlight: on\n```\n\nAnything else you need? 😀"
    )
    assert said(text) == (
        "Living room. It's 21 degrees there. Details are here. First item. Second item. Anything else you need?"
    )


def test_units_are_processed_whole():
    assert (
        said("See [the manual. All of it](https://e.com/a. b) for it now.")
        == "See the manual. All of it for it now."
    )
    assert (
        said("Ask me at anna@example.com. Or do not.", "en")
        == "Ask me at anna at example dot com. Or do not."
    )


def test_every_step_can_be_switched_off():
    text = "**It’s** 5 km to [here](x.com)"
    off = {"markup": False, "characters": False, "normalise": False}
    assert "".join(s.text for s in run(text, "en", **off)) == text
    assert (
        "".join(s.text for s in run(text, "en", **{**off, "markup": True})) == "It’s 5 km to here"
    )
    assert "".join(s.text for s in run(text, "en", **{**off, "characters": True})) == text.replace(
        "’", "'"
    )
    assert "five kilometers" in "".join(
        s.text for s in run(text, "en", **{**off, "normalise": True})
    )


def letters(text: str) -> list[str]:
    """The letters of a text, whatever their form."""
    plain = (unicodedata.normalize("NFKD", c) for c in text if c.isalpha())
    return [c for c in "".join(plain).casefold() if c.isalpha()]


# Text without what markup takes away for good: tags, code, entities, links' targets, addresses; and without lone surrogates, or
# pictures that are also letters (🄰).
PLAIN = st.text(
    # Neither marks nor what begins a control sequence, which takes letters with it.
    st.characters(
        exclude_categories=["Cs"],
        exclude_characters="<>`~[]()&\\@.:/|\U0001f170\x1b",
    ),
    max_size=200,
).filter(lambda text: not re.search("[\U0001f100-\U0001f1ff]", text))


@settings(max_examples=200, deadline=None)
@given(PLAIN)
def test_no_letter_is_lost(text):
    spoken = "".join(s.text for s in run(text))
    assert letters(spoken) == letters(text)


@settings(max_examples=200, deadline=None)
@given(PLAIN)
def test_a_second_pass_changes_nothing(text):
    once = "".join(s.text for s in run(text, markup=False))
    assert "".join(s.text for s in run(once, markup=False)) == once


# Marks whose going lays bare others; a dash that something stands before on its line stays.
_BLOCKS = st.lists(
    st.tuples(
        st.lists(
            st.sampled_from(
                ["- ", "– ", "> ", "# ", "* ", "- [ ] ", "<b>", "<br>", "**", "😀 ", r"\- "]
            ),
            max_size=4,
        ).map("".join),
        st.sampled_from(["one thing", "The light is on.", "no - yes", "[x](y)"]),
    ).map("".join),
    max_size=4,
).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(_BLOCKS)
def test_a_second_pass_finds_no_marks(text):
    once = "".join(s.text for s in run(text, "en"))
    assert not re.search(r"^\s*[-–] ", once, re.M)
    if not re.search(r"[<*😀\\]", text):  # of what these hide, only dashes are looked for again
        assert "".join(s.text for s in run(once, "en")) == once


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=100), st.sampled_from(["", "en", "de", "zz"]), st.sampled_from([None, "ssml"])
)
def test_no_text_raises(text, language, text_format):
    for segment in run(text, language, text_format=text_format):
        prepare(segment, TextRules()).text.encode()
    speak_markdown(text, True)
    speak_addresses(text, "en")
    parse_ssml(text, "en")
