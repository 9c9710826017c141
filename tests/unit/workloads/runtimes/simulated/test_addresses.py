"""No two pods have one address."""

from __future__ import annotations

from ipaddress import IPv4Network

from hypothesis import given
from hypothesis import strategies as st

from argosy.workloads.runtimes.simulated.addresses import Addresses

SMALL = IPv4Network("10.128.0.0/28")


def test_addresses_come_in_order_and_not_again() -> None:
    addresses = Addresses()
    addresses.keep("10.128.0.2")
    assert [addresses.take() for _ in range(3)] == ["10.128.0.1", "10.128.0.3", "10.128.0.4"]


def test_one_that_was_given_back_comes_again_when_the_range_is_used_up() -> None:
    addresses = Addresses(SMALL)
    taken = [addresses.take() for _ in range(14)]
    assert addresses.take() == ""
    addresses.give_back(taken[5])
    assert addresses.take() == taken[5]


def test_what_is_no_address_is_nobodys() -> None:
    addresses = Addresses()
    addresses.keep("fd00::1")
    addresses.give_back("")
    assert addresses.take() == "10.128.0.1"


@given(st.lists(st.one_of(st.none(), st.integers(0, 20)), max_size=80))
def test_addresses_in_use_are_all_different(steps: list[int | None]) -> None:
    addresses, used = Addresses(SMALL), []
    for step in steps:
        if step is None:
            if address := addresses.take():
                assert address not in used
                used.append(address)
        elif used:
            addresses.give_back(used.pop(step % len(used)))
