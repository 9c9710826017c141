"""Overrides: what a placement's objects look like on one cluster and not on another.

An override is kept as numbered snapshots (`snapshots`, `controllers`). Which of them concern a placement's objects is
`matching`; the answer for a cluster is written into its binding (`picking` asks for rollouts and update runs). When
Works are built, `applying` changes each manifest by the rules that hold for the cluster, with JSON patches in the
dialect of `patching`.
"""
