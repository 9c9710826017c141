"""Pages about a fleet do what they say. (Pages are spread over three modules, so that they can be played
at the same time: these, every other one of these, and those about one cluster alone.)
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import Page, all_pages
from tests.docs.playing import play
from tests.support.kubectls import find_kubectl

PAGES = [page for page in all_pages() if page.steps and not page.is_for_a_cluster][::2]


@pytest.mark.kubectl
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_does_what_it_says(page: Page, tmp_path: Path) -> None:
    find_kubectl()
    play(page, tmp_path)
