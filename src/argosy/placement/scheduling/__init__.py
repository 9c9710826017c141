"""Which clusters a placement gets: KubeFleet's scheduler.

`deciding` is the pure heart: the fleet, a policy snapshot and the bindings there are go in; bindings to make, to
take up again and to give up come out, with the status that tells why. Its plugins are a file each: `affinity` on
top of `properties`, `eligibility`, `namespaces`, `taints`, `spreading`; `screening` asks them in upstream's order
and `ranking` compares what they scored. `picking_all`, `picking_fixed` and `picking_n` are the three ways to pick.
Around it, `interests` knows which placements a change of a cluster can matter to, `writing` writes, and
`controllers` wakes up.
"""
