"""What counts as printed the way a page shows it, and what does not."""

from __future__ import annotations

import pytest

from tests.docs.comparing import differs
from tests.docs.pages import ROOT as HERE
from tests.docs.pages import Block, Page, Unreadable

SAME = {
    "blanks are as wide as one likes": (["a  b", "", "c"], "a b\nc\n"),
    "ages differ": (["web 1/1 6s"], "web   1/1   2m13s\n"),
    "ports differ": (["at https://127.0.0.1:1"], "at https://127.0.0.1:40001\n"),
    "uids and hashes differ": (["job-train-ctcbf-e344d"], "job-train-9c8fb-428a1\n"),
    "lines are left out": (["a", "...", "z"], "a\nb\nc\nz\n"),
    "nothing may be left out, too": (["a", "…"], "a\n"),
    "the rest of a line": (["a ..."], "a b c\n"),
    "words within a line": (["a ... c"], "a b c\n"),
}
OTHER = {
    "a number": (["NODES 3"], "NODES 2\n", "the page shows 'NODES 3'"),
    "the order": (["a", "b"], "b\na\n", "the page shows 'b'"),
    "a line too few": (["a"], "a\nb\n", "more was printed"),
    "a line too many": (["a", "b"], "a\n", "the page shows 'b'"),
    "a cluster's name is no random end": (["cluster-1"], "cluster-2\n", "the page shows"),
}


@pytest.mark.parametrize(("shown", "printed"), SAME.values(), ids=SAME)
def test_same(shown: list[str], printed: str) -> None:
    assert differs(shown, printed) == ""


@pytest.mark.parametrize(("shown", "printed", "told"), OTHER.values(), ids=OTHER)
def test_other(shown: list[str], printed: str, told: str) -> None:
    assert told in differs(shown, printed)


def test_commands_of_a_block() -> None:
    text = "# why\nexport A=1\nfor x in 1 2; do\n  echo $x\ndone\ncat <<END\none\nEND\necho a \\\n  b\n"
    got = [step.text for step in Block(1, "sh", text).steps]
    assert got == [
        "export A=1",
        "for x in 1 2; do\n  echo $x\ndone",
        "cat <<END\none\nEND",
        "echo a \\\n  b",
    ]


def test_a_dialogue() -> None:
    [first, second] = Block(1, "console", "$ for x in 1; do\n> echo $x; done\n1\n$ true").steps
    assert (first.text, first.shown) == ("for x in 1; do\necho $x; done", ["1"])
    assert (second.text, second.shown) == ("true", [])


def test_excuses_count_for_the_next_block_alone() -> None:
    text = "<!-- not run: it takes a day -->\n```sh\nsleep 86400\n```\n\n```sh\ntrue\n```\n"
    page = Page(HERE / "docs" / "x.md", text)
    assert [block.excuse for block in page.blocks] == ["it takes a day", ""]
    assert [step.text for step in page.steps] == ["true"]


@pytest.mark.parametrize("text", ["```sh\ntrue\n", "```console\nprinted\n```\n"])
def test_pages_that_nobody_can_play(text: str) -> None:
    with pytest.raises(Unreadable):
        assert Page(HERE / "docs" / "x.md", text).steps
