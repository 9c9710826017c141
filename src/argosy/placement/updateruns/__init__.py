"""Staged update runs: a placement's resources let out stage by stage, with people and pauses in between.

A run is initialized once (`initializing`): who belongs to which stage, in which order, with which resources and
overrides, is written into its status and from then on holds. Every later look first makes sure that this is still the
world it lives in (`validating`) and then takes the next step (`executing`, `deleting`, or `stopping`). All of these are
pure: they see a `Look` and answer with a status and what is to be written. `controllers` looks, writes and comes back.

Every step can be taken twice. What a run has written to bindings and approval requests it finds there again, so a hub
that dies in the middle goes on where it was.
"""
