"""Letting a placement out in steps: KubeFleet's rolling update.

`deciding` is pure: the bindings of a placement, the latest resources and the strategy go in; which bindings may be
bound, updated or removed now, which have to wait, and when to look again come out. `readiness` reads how a binding
stands, `budgets` what the strategy allows. `writing` writes bindings and their condition, `controllers` wakes up.
Placements that are rolled out from outside are left alone.
"""
