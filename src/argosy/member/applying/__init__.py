"""The work applier: makes the member what its Works say, and tells the hub how that went.

A pass over one Work (`controllers`) reads its manifests (`manifests`, `catalogs`), writes down what it is about to do
and removes what is no longer wanted (`preparing`, `removing`), applies the manifests wave by wave (`waves`,
`processing`, `writing`, `owners`, `objects`), and writes what came out (`results`, `entries`, `statuses`, `trimming`).
It comes back after a while (`backoffs`), which is how drift is found; what becomes of jobs it hears at once
(`following`). The end of a Work is in `ending`. What reads or writes a cluster is `controllers`, `processing`,
`writing`, `removing`, `ending`, `following` and `catalogs`; the rest is pure.
"""
