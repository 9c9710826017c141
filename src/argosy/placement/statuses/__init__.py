"""How a placement stands: told from its policy snapshot, its bindings and its resource snapshots.

`evaluating` is the pure judgement, over `clusters` (one cluster) and `wordings` (what is said when); `documents` is its
JSON, `announcing` its events, `mirroring` its copy in a namespace.
"""
