"""Every page is played, or says why not; every link leads somewhere, every example has a page, every verb is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.docs.pages import READ, ROOT, RUN, Page, all_pages

PAGES = all_pages()
UNPLAYED = Path(__file__).with_name("unplayed.yaml")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def pages() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@pages()
def test_a_page_is_played_or_says_why_not(page: Page) -> None:
    assert bool(page.steps) != bool(page.excuse), (
        f"{page.name}: write `sh` or `console` blocks that run, or say `<!-- nothing to run: REASON -->`"
    )


def test_nothing_is_skipped_silently() -> None:
    got: dict[str, list[str]] = {}
    for page in PAGES:
        said = [page.excuse] if page.excuse else []
        said += [
            f"{block.text.splitlines()[0]}: {block.excuse}" for block in page.blocks if block.excuse
        ]
        if said:
            got[page.name] = said
    want = yaml.safe_load(UNPLAYED.read_text())
    assert got == want, f"{UNPLAYED.name} lists all that is not run; it should say:\n" + (
        yaml.safe_dump(got, width=1000, allow_unicode=True)
    )


@pages()
def test_blocks_say_what_they_are(page: Page) -> None:
    for block in page.blocks:
        assert block.language in RUN | READ, (
            f"{page.name}:{block.line}: {block.language!r} is none of {sorted(RUN | READ)}"
        )
        if block.language == "yaml":
            assert list(yaml.safe_load_all(block.text)), f"{page.name}:{block.line}"
        if block.language == "json":
            json.loads(block.text)


@pages()
def test_links_lead_somewhere(page: Page) -> None:
    for target in _LINK.findall(page.prose):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.path.parent / file) if file else page.path
        assert path.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in _anchors(path), f"{page.name}: {target}"


def _anchors(path: Path) -> set[str]:
    heads = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    for page in PAGES:
        if page.path.parent.name == "docs" and page.path.name != "README.md":
            assert f"({page.path.name})" in index, page.name


def test_every_example_has_a_page() -> None:
    text = "\n".join(page.text for page in PAGES)
    for file in sorted((ROOT / "examples").rglob("*")):
        if file.is_file():
            path = file.relative_to(ROOT)
            folders = [f"-f {parent}/" for parent in path.parents if parent != Path()]
            assert str(path) in text or any(each in text for each in folders), (
                f"{path}: use it in a page, or delete it"
            )


@pages()
def test_commands_in_the_text_exist(page: Page) -> None:
    """`argosy VERB --flag`, wherever it is named."""
    verbs = _verbs()
    named = re.findall(r"`argosy ([a-z][^`]*)`", page.prose)
    alternatives = [each.replace("\\|", "|").split() for each in named]
    for words in ([verb, *rest] for first, *rest in alternatives for verb in first.split("|")):
        assert words[0] in verbs, f"{page.name}: there is no `argosy {words[0]}`"
        for flag in (word.strip("[]").partition("=")[0] for word in words[1:]):
            if flag.startswith("--"):
                assert flag in verbs[words[0]], f"{page.name}: `argosy {words[0]}` has no {flag}"


def _verbs() -> dict[str, set[str]]:
    """Each verb with all flags that it or what is below it has."""
    import argparse

    from argosy.cli.main import _parser

    def children(of: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
        for action in of._actions:
            if isinstance(action, argparse._SubParsersAction):
                return dict(action.choices)
        return {}

    def flags(of: argparse.ArgumentParser) -> set[str]:
        own = {flag for action in of._actions for flag in action.option_strings}
        return own.union(*map(flags, children(of).values()))

    return {name: flags(each) for name, each in children(_parser()).items()}
