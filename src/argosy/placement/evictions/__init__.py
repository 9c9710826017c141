"""Evictions: the wish of a person or a drain that a placement leaves a cluster, and the budget that may refuse it.

One wish is decided once, for good (`deciding`); `controllers` reads what is needed afresh and deletes the binding.
There are evictions of placements of the whole cluster only, as upstream has them.
"""
