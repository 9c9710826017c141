"""What a placement wanted and selected, kept at every change: policy snapshots and resource snapshots.

`policies` and `resources` decide, each into a `Plan` of writes; `snapshots` writes them down.
"""
