"""What a hub does for jobs beside placing them: it remembers how they ended, and lets go of those that ask for it.

`standings` says how a job stands on all its clusters, `records` what is remembered of it, `pages` and `ledgers` which
object remembers it, `keeping` when it may go. All of that is pure. `sightings` is fed by informers, `recording` hears
of changes and asks, `writing` writes pages, `leaving` deletes.

Exactly once: a record is appended only to a page of which nothing has changed since it was read, pages are filled one
after the other, and what a page holds is known by uid. So a lost answer ends in a conflict, and then in a look. Nothing
is let go that a page on the hub does not hold.
"""
