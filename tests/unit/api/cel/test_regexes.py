"""RE2 patterns: what matches, what is refused."""

from __future__ import annotations

import pytest

from argosy.api.cel.regexes import RegexError, compile_regex

# pattern: (texts it finds something in, texts it does not)
MATCHES: dict[str, tuple[list[str], list[str]]] = {
    "^a$": (["a"], ["a\n", "ba"]),
    r"^\d+$": (["12"], ["١٢", ""]),
    r"^\w+$": (["a_1"], ["é", "a b"]),
    r"\bé": ([], ["é"]),
    "(?i)abc": (["xABC"], ["ab"]),
    "a(?i)b": (["aB", "ab"], ["AB"]),
    "(?s)a.b": (["a\nb"], ["ab"]),
    "(?m)^b$": (["a\nb\nc"], ["abc"]),
    "(?-s)a.b": (["axb"], ["a\nb"]),
    r"\Aab\z": (["ab"], ["ab\n"]),
    r"\Qa.b\E+": (["a.b", "a.bb"], ["axb"]),
    "[[:alpha:]]+[[:digit:]]": (["ab1"], ["12"]),
    r"^[^\s,]+$": (["ab"], ["a b", "a,b"]),
    r"^\pL+$": (["é", "abc"], ["1"]),
    r"^\p{Greek}$": (["α"], ["a"]),
    "^(?P<x>a)(?<y>b)$": (["ab"], ["a"]),
    "^(100|[0-9]{1,2})%$": (["100%", "5%"], ["101%", "%"]),
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$": (
        ["a.b-c"],
        ["a..b", "-a"],
    ),
    "a{,2}": (["a{,2}"], ["aa"]),
    r"^[]a]$": (["]", "a"], ["b"]),
    r"\x{41}\x42\103": (["ABC"], ["abc"]),
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))$": (["+1.5", ".5"], ["x"]),
}
REFUSED = [
    "(", ")", "[a", "a**", "*a", r"(?=a)", r"(?<!a)", r"\1", r"a{1001}", "a++", r"\pX", r"\y", "(?U)a", "\\",
]  # fmt: skip


@pytest.mark.parametrize("pattern", MATCHES)
def test_finds_what_re2_finds(pattern: str) -> None:
    found, missed = MATCHES[pattern]
    search = compile_regex(pattern).search
    assert [text for text in [*found, *missed] if search(text)] == found


@pytest.mark.parametrize("pattern", REFUSED)
def test_refuses_what_re2_refuses(pattern: str) -> None:
    with pytest.raises(RegexError):
        compile_regex(pattern)


def test_an_open_group_is_named_as_go_does() -> None:
    with pytest.raises(RegexError, match=r"^error parsing regexp: missing closing \): `a\(`$"):
        compile_regex("a(")
