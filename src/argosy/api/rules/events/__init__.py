"""Events, which two groups serve: `core` has the rules of core/v1, `strict` those of events.k8s.io/v1.

Both groups write the same stored objects, in core's form, and are selected by the same fields of it. They differ in how
much they ask of a writer: core checks what it always did, the newer group demands a complete event and lets only the
series of a stored one change. Events expire; that is housekeeping's business and not seen here.
"""
