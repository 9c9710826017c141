"""One scheduling cycle: at most one head of every ClusterQueue, judged, put in order, and decided one by one. Pure.

`nominating` → `ordering` → `processing`; `scheduling` is the whole. A cycle leaves the state it looked at as it was and
returns decisions, each with its reason; whoever has the state and the API applies them.
"""
