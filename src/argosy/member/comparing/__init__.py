"""How a manifest and the object on the member differ, as people are told.

`cleaning` takes out what nobody compares, `diffing` lists the differences in the order and the words of upstream,
`printing` has Go's way with values, `hashing` tells whether a manifest is the one applied last, `queues` leaves to a
queue what the queue owns. All of it is pure.
"""
