"""`argosy demo`: stories told on a fleet of their own, with the real commands.

`steps` is what a story is made of, `playing` the one engine that plays it; `guide`, `fairness` and `bursts` are the
stories. The fleet (`fleets`) is a process of its own in the demo's directory (`directories`), and both are gone at the
end, whatever the end is (`interrupts`). Where kubectl is not on the PATH, `standins` plays it.
"""
