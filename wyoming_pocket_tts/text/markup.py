"""Markdown, HTML and emoji become what a person would say.

Works on a unit at a time: a sentence, or a line with its block marks. Emphasis may span sentences, so its marks are judged by what
stands beside them and not in pairs. Nothing here raises: what is no markup stays.
"""

from __future__ import annotations

import html
import re

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^`\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$\n?|\Z)", re.S | re.M)
_RULE = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)\Z")
_TABLE_RULE = re.compile(
    r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*\Z|[ \t]*\|[ \t]*:?-+:?[ \t]*\|[ \t]*\Z"
)
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*\Z")
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
_BULLET = re.compile(r"[ \t]*[-*+•◦▪‣‧·–][ \t]+(?:\[[ xX]\][ \t]+)?")
# Nothing is said of them. Not "+" and "*", which mean something before a number.
_LEADING_DASH = re.compile(r"^[ \t]*(?:[-•◦▪‣‧·–][ \t]+(?:\[[ xX]\][ \t]+)?)+", re.M)
_TASK = re.compile(r"([ \t]*\d{1,3}[.)][ \t]+)\[[ xX]\][ \t]+")

_IMAGE = re.compile(
    r"!\[([^\[\]\n]{0,300})\](?:\((?:[^()\n]|\([^()\n]*\)){0,600}\)|\[[^\[\]\n]{0,300}\])"
)
_LINK = re.compile(
    r"\[([^\[\]\n]{0,300})\](?:\((?:[^()\n]|\([^()\n]*\)){0,600}\)|\[[^\[\]\n]{0,300}\])"
)
_REFERENCE = re.compile(r"[ \t]?\[\^?\d{1,3}\](?!\w)")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)?[^\s<>]*[@:][^\s<>]+)>")
_CODE = re.compile(r"(?<!`)(`+)([^`](?:.*?[^`])??)\1(?!`)", re.S)
_TICKS = re.compile(r"`{2,}|(?<!\w)`|`(?!\w)")
_ESCAPED_BASE = 0xE000  # an escaped character hides in the private use area while marks are read
_HIDDEN = re.compile("[\ue021-\ue07e]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_STRUCK = re.compile(r"~~+")
_DOUBLE_STARS = re.compile(r"\*{2,}|_{2,}(?=\w)|(?<=\w)_{2,}")
_STAR = re.compile(r"(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])")
_UNDERSCORE = re.compile(r"(?<![^\W_])_(?=[^\W_])|(?<=[^\W_])_(?![^\W_])")
_SNAKE = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")

_COMMENT = re.compile(r"<!--.*?-->", re.S)
_LINE_TAG = re.compile(r"<(?:br|hr)\b[^<>]*>|</(?:p|div|li|tr|h[1-6]|ul|ol|table)[ \t]*>", re.I)
# A tag is stripped only if it is one of HTML's (or SSML's): "<name>" in a text is said.
_TAG = re.compile(
    r"</?(?:a|abbr|address|article|aside|audio|b|big|blockquote|body|break|caption|center|cite|code|col|dd|del|details|dfn|"
    r"div|dl|dt|em|emphasis|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|"
    r"lang|li|link|main|mark|meta|nav|ol|option|p|phoneme|picture|pre|prosody|q|s|samp|say-as|script|section|select|small|"
    r"source|span|speak|strike|strong|style|sub|summary|sup|svg|table|tbody|td|textarea|tfoot|th|thead|time|title|tr|track|"
    r"tt|u|ul|var|video|voice|wbr)(?:\s[^<>]*|/)?>",
    re.I,
)
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")

_EMOJI = re.compile(
    r"[ \t]*(?:[#*0-9]\ufe0f?\u20e3|[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\ufe0f\u200d\u20e3"
    r"\U000e0020-\U000e007f]|[©®™](?=\ufe0f)|[\u203c\u2049](?=\ufe0f)|[\u2194-\u21ff](?=\ufe0f))+"
)
_ARROW = re.compile(r"[ \t]*(?:[\u2190-\u21ff\u27f5-\u27ff]|(?<![\w-])(?:-|=){1,2}>(?!\w))[ \t]*")


def speak_markdown(text: str, line_start: bool) -> str:
    """The text of a unit without Markdown and HTML.

    Args:
        text: the raw unit; may hold several lines.
        line_start: whether it begins a line, and so may begin with a block mark.
    """
    if not _needs_work(text):
        return text
    text = _FENCE.sub("", text) if "```" in text or "~~~" in text else text
    if "\\" in text:
        text = _ESCAPE.sub(lambda m: chr(_ESCAPED_BASE + ord(m.group(1))), text)
        return _HIDDEN.sub(
            lambda m: chr(ord(m.group()) - _ESCAPED_BASE), _without_marks(text, line_start)
        )
    return _without_marks(text, line_start)


def drop_leading_dashes(text: str, line_start: bool) -> str:
    """The text without the list marks that came to stand at the beginning of a line when other marks went."""
    if line_start:
        return _LEADING_DASH.sub("", text)
    first, newline, rest = text.partition("\n")
    return first + newline + _LEADING_DASH.sub("", rest)


def _without_marks(text: str, line_start: bool) -> str:
    text = _blocks(text, line_start)
    if "<" in text:
        text = _COMMENT.sub(" ", text)
        text = _AUTOLINK.sub(r"\1", text)
        text = _LINE_TAG.sub("\n", text)
        text = _TAG.sub("", text)
    if "[" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
        text = _LINK.sub(r"\1", _REFERENCE.sub("", text))
    if "`" in text:
        text = _TICKS.sub("", _CODE.sub(r"\2", text))
    return _inline(text)


def drop_emoji(text: str) -> str:
    """The text without emoji and pictographs; a keycap leaves its digit, an arrow a pause."""
    if text.isascii():
        return _ARROW.sub(", ", text) if ">" in text else text
    return _ARROW.sub(", ", _EMOJI.sub(_emoji, text))


def _emoji(match: re.Match[str]) -> str:
    kept = "".join(c for c in match.group() if c.isascii() and c.isdigit())
    if kept:
        return f" {kept}"
    text, end = match.string, match.end()
    glued = (
        match.start() > 0
        and text[match.start()].strip() != ""
        and text[match.start() - 1].isalnum()
    )
    return " " if glued and end < len(text) and text[end].isalnum() else ""


def _needs_work(text: str) -> bool:
    return re.search(r"[*_`~\[<>&#|\\]|^[ \t]*[-+=•◦▪‣‧·–]", text, re.M) is not None


def _blocks(text: str, line_start: bool) -> str:
    lines = text.split("\n")
    return "\n".join(
        _nested_blocks(line) if number or line_start else line for number, line in enumerate(lines)
    )


def _nested_blocks(line: str) -> str:
    """A quoted list, a heading in an item...: a mark at a time."""
    while (bare := _block(line)) != line:
        line = bare
    return line


def _block(line: str) -> str:
    bare = line.rstrip("\r")
    if _RULE.match(bare) or (_TABLE_RULE.match(bare) and "-" in bare):
        return ""
    bare = _QUOTE.sub("", bare, count=1) if _QUOTE.match(bare) else bare
    heading = _HEADING.match(bare)
    if heading:
        bare = heading.group(1)
    if bare.lstrip().startswith("|"):
        cells = [cell.strip() for cell in bare.strip().strip("|").split("|")]
        return ", ".join(cell for cell in cells if cell)
    bullet = _BULLET.match(bare)
    if bullet:
        return bare[bullet.end() :]
    return _TASK.sub(r"\1", bare)


def _inline(text: str) -> str:
    if "~" in text:
        text = _STRUCK.sub("", text)
    if "*" in text or "_" in text:
        text = _DOUBLE_STARS.sub("", text)
        text = _UNDERSCORE.sub("", _STAR.sub("", text))
        text = _SNAKE.sub(" ", text)
    if "&" in text:
        text = _ENTITY.sub(lambda m: html.unescape(m.group()), text)
    return text
