"""What a request does: one module per family of verbs.

Every verb takes a `Cluster` and a `Call` and works on objects in their storage version. From the look at the current
state to the hand-over to the store a write never waits, so a check (revision, quota, name) and its write are one
step; only the fsync is awaited.
"""
