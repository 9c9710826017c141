"""Alike objects share what is equal in them, and stay what they are."""

from __future__ import annotations

import itertools

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.metadata import ObjectMeta
from argosy.api.objects.pods import Container, Pod, PodSpec, PodStatus, Toleration
from argosy.control.sharing import share

_read = msgspec.json.Decoder(Pod).decode


def _pod(name: str, node: str = "", image: str = "train:1") -> Pod:
    made = Pod(
        metadata=ObjectMeta(name=name, uid=f"uid-{name}", labels={"job": "a"}),
        spec=PodSpec(
            containers=(Container(name="main", image=image, args=("2400s",)),),
            node_name=node,
            tolerations=(Toleration(key="gpu", operator="Exists"),),
        ),
        status=PodStatus(phase="Running" if node else "Pending"),
    )
    return _read(msgspec.json.encode(made))


def test_pods_of_one_template_share_it() -> None:
    first, second = _pod("a-1"), _pod("a-2")
    share(second, first)
    assert second == _pod("a-2")
    assert second.spec is first.spec
    assert second.metadata.labels is first.metadata.labels
    assert second.metadata is not first.metadata


def test_a_pod_that_was_bound_shares_all_but_its_node() -> None:
    before, after = _pod("a-1"), _pod("a-1", "node-7")
    share(after, before)
    assert after == _pod("a-1", "node-7")
    assert after.spec.containers is before.spec.containers
    assert after.spec.tolerations is before.spec.tolerations
    assert before.spec.node_name == ""


def test_containers_that_differ_share_what_they_have_in_common() -> None:
    first, second = _pod("a-1"), _pod("b-1", image="train:2")
    share(second, first)
    assert second == _pod("b-1", image="train:2")
    assert second.spec.containers[0].args is first.spec.containers[0].args


_pods = st.builds(
    _pod, st.sampled_from("abc"), st.sampled_from(["", "n1", "n2"]), st.sampled_from(["x", "y"])
)


@given(st.lists(_pods, max_size=6))
def test_sharing_changes_neither_of_two(pods: list[Pod]) -> None:
    want = [msgspec.json.encode(each) for each in pods]
    for known, new in itertools.pairwise(pods):
        share(new, known)
    assert [msgspec.json.encode(each) for each in pods] == want
