"""What a placement selects: which kinds there are, which objects match, and how they are passed on.

`catalogs` knows the hub's kinds and `exclusions` what is never passed on; `watching` follows the kinds that placements
may select and `interests` knows which placements an object concerns. `picking` is the pure selection over them,
`ordering` its order, `sanitizing` what of an object stays behind, `selections` what comes out. `sources` puts them
together for the controllers.
"""
