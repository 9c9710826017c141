"""The placement controller: selects, keeps snapshots, and tells how every placement stands.

A placement is gone through whole when it changes, when an object that concerns it changes, or when a wait is over: its
finalizer, what it selects, its policy snapshot, its resource snapshot. Everything else that happens, the scheduler's
decisions and the bindings' news, changes its status only, and costs no selection. News come in bursts, so the status is
judged a moment after the first: one write tells of all that happened meanwhile.

A placement at rest writes nothing. One that has not come to rest is gone through every half hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import Placement, PlacementStatus, ResourceIdentifier
from argosy.api.objects.fleet.snapshots import PolicySnapshot, ResourceSnapshot
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.errors import NotFound
from argosy.client.objects import Key
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.placement.metrics import FAMILY, PlacementMetrics
from argosy.placement.scopes import SCOPES, scope_of
from argosy.placement.selecting.exclusions import DEFAULT_EXCLUSIONS, Exclusions
from argosy.placement.selecting.picking import Picked
from argosy.placement.selecting.selections import identifiers
from argosy.placement.selecting.selections import selection as as_selection
from argosy.placement.selecting.sources import Sources
from argosy.placement.selecting.terms import InvalidSelectors
from argosy.placement.snapshotting.resources import (
    DEFAULT_DELAYS,
    Delays,
    shard_count,
    shards_of,
)
from argosy.placement.snapshotting.snapshots import Snapshots
from argosy.placement.statuses.announcing import CLEANED_UP, News, announced, is_completed
from argosy.placement.statuses.documents import status_patch
from argosy.placement.statuses.evaluating import Picture, evaluate
from argosy.placement.statuses.mirroring import (
    Mirrors,
    is_mirrored,
    mismatch,
    with_invalid_selectors,
    with_synced,
)
from argosy.placement.statuses.wordings import RELEASES, Wording
from argosy.placement.templating.children import expanded, is_child, is_template, template_of
from argosy.placement.templating.expanding import Templates
from argosy.placement.views import Views, parent_of

_WORKERS: Final = 4
_RESYNC_SECONDS: Final = 1800.0
_RETRY_SECONDS: Final = 30.0


@dataclass(slots=True, frozen=True)
class Settings:
    """`gathering_seconds`: news of this long are told together."""

    delays: Delays = DEFAULT_DELAYS
    wording: Wording = RELEASES
    exclusions: Exclusions = DEFAULT_EXCLUSIONS
    gathering_seconds: float = 0.05


DEFAULT_SETTINGS: Final = Settings()


class Placements:
    """Cares for the placements of both kinds. `snapshots` serves update runs, too."""

    def __init__(
        self, assembly: Assembly, views: Views, settings: Settings = DEFAULT_SETTINGS
    ) -> None:
        self._views = views
        self._clock = assembly.clock
        self._settings = settings
        self._recorder = assembly.recorder("placement-controller")
        self._metrics = PlacementMetrics(assembly.metrics, assembly.clock)
        self._queue = assembly.controller(
            "placement-controller", self._reconcile, workers=_WORKERS, families=(FAMILY,)
        )
        self._sources = Sources(assembly, settings.exclusions, self._object_changed)
        self.snapshots: Final = Snapshots(views, self._sources, assembly.clock, settings.delays)
        self._templates = Templates(views)
        self._mirrors = Mirrors(assembly, self._listen)
        # Whom to go through whole, at once or at some time (monotonic), and who has to wait for its user.
        self._whole: set[Key] = set()
        self._due: dict[Key, float] = {}
        self._invalid: set[Key] = set()
        # Who is in a group of resource snapshots, by the uid of the master.
        self._identified: dict[str, tuple[ResourceIdentifier, ...]] = {}
        for scope in SCOPES:
            views.placements(scope).add_handler(self._placement_changed)
            views.policies(scope).add_handler(self._policy_changed)
            views.resources(scope).add_handler(self._resources_changed)
            views.all_bindings(scope).add_handler(self._binding_changed)

    # What is worth a look.

    def _look(self, key: Key) -> None:
        """Go through a placement whole."""
        self._whole.add(key)
        self._queue.add(key)

    def _object_changed(self, key: Key) -> None:
        """What a placement selects has changed. A template's objects come in streams, and are looked at together."""
        placement = self._views.placement(key)
        if placement is not None and is_template(placement):
            self._whole.add(key)
            self._listen(key)
        else:
            self._look(key)

    def _listen(self, key: Key) -> None:
        """Judge a placement's status, when the news of this moment are in."""
        self._queue.add_after(key, self._settings.gathering_seconds)

    def _placement_changed(self, old: Placement | None, new: Placement | None) -> None:
        here = new or old
        if here is not None and (old is None or new is None or _is_respecified(old, new)):
            self._look(Key(*here.metadata.key))
        if new is None and old is not None and is_child(old):
            self._look(Key(old.metadata.namespace, template_of(old)))

    def _policy_changed(self, old: PolicySnapshot | None, new: PolicySnapshot | None) -> None:
        if new is not None:
            self._listen(parent_of(new))
        elif old is not None:
            self._look(parent_of(old))

    def _resources_changed(
        self, old: ResourceSnapshot | None, new: ResourceSnapshot | None
    ) -> None:
        if new is not None:
            self._listen(parent_of(new))
        elif old is not None:
            self._identified.pop(old.metadata.uid, None)
            self._look(parent_of(old))

    def _binding_changed(self, old: Binding | None, new: Binding | None) -> None:
        here = new or old
        if here is not None and (old is None or new is None or _has_news(old, new)):
            self._listen(parent_of(here))

    # A look.

    async def _reconcile(self, key: Key) -> Result:
        placement = self._views.placement(key)
        if placement is None:
            self._forget(key)
            return DONE
        if placement.metadata.deletion_timestamp is not None:
            return await self._clean_up(key, placement)
        if self._is_whole(key):
            self._whole.discard(key)
            self._due.pop(key, None)
            try:
                await self._go_through(key, placement)
            except Exception:
                self._whole.add(key)
                raise
        else:
            await self._tell(key)
        return self._until_due(key)

    def _until_due(self, key: Key) -> Result:
        due = self._due.get(key)
        return DONE if due is None else Result(max(due - self._clock.monotonic(), 0.001))

    def _is_whole(self, key: Key) -> bool:
        due = self._due.get(key)
        return key in self._whole or (due is not None and due <= self._clock.monotonic() + 1e-3)

    def _forget(self, key: Key) -> None:
        self._sources.drop(key)
        self._whole.discard(key)
        self._due.pop(key, None)
        self._invalid.discard(key)
        self._metrics.gone(key)

    async def _go_through(self, key: Key, placement: Placement) -> None:
        """All the steps of a placement, up to one that cannot be done yet."""
        await self._add_finalizer(placement)
        problem = mismatch(placement) if is_mirrored(placement) else ""
        if problem:
            await self._refuse(key, placement, problem, is_mirrorable=False)
            return
        try:
            picked = self._sources.pick(placement)
        except InvalidSelectors as error:
            problem = f"The resource selectors are invalid: {error}"
            await self._refuse(key, placement, problem, is_mirrorable=is_mirrored(placement))
            return
        if picked is None:
            return
        self._invalid.discard(key)
        if is_template(placement):
            await self._expand(key, placement, picked)
            return
        await self._templates.remove_all(key)
        selection = as_selection(picked)
        await self.snapshots.ensure_policy(placement)
        if not placement.spec.is_external:
            wait = await self.snapshots.ensure_resources(placement, selection)
            if wait is not None:
                self._come_back(key, wait)
        if is_mirrored(placement):
            await self._tell(key)
        else:
            self._listen(key)

    async def _expand(self, key: Key, placement: Placement, picked: Sequence[Picked]) -> None:
        """A template is not placed itself: what it was before it became one goes, and its objects get their own."""
        await self.snapshots.remove_all(key)
        number = await self._templates.expand(placement, picked)
        current = self._views.placement(key) or placement
        await self._write(current, expanded(current, number, self._clock.now()))

    def _come_back(self, key: Key, seconds: float) -> None:
        """Go through a placement whole when so much time has passed, unless that is to be sooner already."""
        due = self._clock.monotonic() + seconds
        self._due[key] = min(due, self._due.get(key, due))

    async def _add_finalizer(self, placement: Placement) -> None:
        meta = placement.metadata
        if names.PLACEMENT_CLEANUP not in meta.finalizers:
            resource = scope_of(meta.namespace).placements
            finalizers = (*meta.finalizers, names.PLACEMENT_CLEANUP)
            await self._views.set_finalizers(resource, meta, finalizers)

    async def _refuse(
        self, key: Key, placement: Placement, problem: str, *, is_mirrorable: bool
    ) -> None:
        """Say what the user has to change."""
        self._invalid.add(key)
        placement = self._views.placement(key) or placement
        status = with_invalid_selectors(placement, problem, self._clock.now())
        if is_mirrorable:
            status = await self._mirror(key, placement, status)
        await self._write(placement, status)
        self._come_back(key, _RESYNC_SECONDS)

    # Its status.

    async def _tell(self, key: Key) -> None:
        placement = self._views.placement(key)
        if placement is None or key in self._invalid or is_template(placement):
            return
        status = evaluate(self._picture(key, placement), self._settings.wording, self._clock.now())
        if is_mirrored(placement):
            status = await self._mirror(key, placement, status)
        if await self._write(placement, status):
            for news in announced(placement, status):
                self._announce(placement.metadata, news)
        if not is_completed(placement, status):
            self._come_back(key, _RESYNC_SECONDS)

    async def _mirror(
        self, key: Key, placement: Placement, status: PlacementStatus
    ) -> PlacementStatus:
        """Keep the copy of a status; returns the status with word of that."""
        failure = await self._mirrors.keep(placement, status)
        if failure is not None:
            self._come_back(key, _RETRY_SECONDS)
        return with_synced(placement, status, failure, self._clock.now())

    def _picture(self, key: Key, placement: Placement) -> Picture:
        resources = self._views.resources(scope_of(key.namespace))

        def index(name: str) -> str:
            found = resources.get(key.namespace, name)
            return found.metadata.labels.get(names.RESOURCE_INDEX, "") if found is not None else ""

        return Picture(
            placement,
            self._views.latest_policy(key),
            self._views.latest_resources(key),
            self._views.bindings(key),
            index,
            lambda index: self._selected(key, index),
        )

    def _selected(self, key: Key, index: str) -> tuple[ResourceIdentifier, ...]:
        """Who is in the snapshots of an index. They never change, so they are read once."""
        name = names.resource_snapshot_name(key.name, int(index)) if index.isdecimal() else ""
        master = self._views.resources(scope_of(key.namespace)).get(key.namespace, name)
        if master is None:
            return ()
        found = self._identified.get(master.metadata.uid)
        if found is None:
            shards = shards_of(self._views.resource_snapshots(key), index)
            found = identifiers(shards)
            if len(shards) == shard_count(master):
                self._identified[master.metadata.uid] = found
        return found

    async def _write(self, placement: Placement, status: PlacementStatus) -> bool:
        """Returns whether there was something to write, and somebody to write it for."""
        meta = placement.metadata
        self._metrics.judged(placement, status)
        patch = status_patch(placement.status, status)
        if not patch:
            return False
        try:
            await self._views.patch_status(scope_of(meta.namespace).placements, meta, patch)
        except NotFound:
            return False
        return True

    def _announce(self, meta: ObjectMeta, news: News) -> None:
        about = reference(scope_of(meta.namespace).placements, meta)
        self._recorder.event(about, news.type, news.reason, news.message)

    # Its end.

    async def _clean_up(self, key: Key, placement: Placement) -> Result:
        meta = placement.metadata
        self._forget(key)
        if names.PLACEMENT_CLEANUP not in meta.finalizers:
            return DONE
        await self._templates.remove_all(key)
        await self.snapshots.remove_all(key)
        finalizers = [each for each in meta.finalizers if each != names.PLACEMENT_CLEANUP]
        await self._views.set_finalizers(scope_of(key.namespace).placements, meta, finalizers)
        self._announce(meta, CLEANED_UP)
        return DONE


def _is_respecified(old: Placement, new: Placement) -> bool:
    """Whether its user has changed or deleted it, or it is another one of the same name."""
    before, after = old.metadata, new.metadata
    return (
        before.generation != after.generation
        or before.uid != after.uid
        or before.deletion_timestamp != after.deletion_timestamp
        or (before.annotations != after.annotations and (is_template(old) or is_template(new)))
    )


def _has_news(old: Binding, new: Binding) -> bool:
    return (
        old.status != new.status
        or old.spec != new.spec
        or old.metadata.deletion_timestamp != new.metadata.deletion_timestamp
    )
