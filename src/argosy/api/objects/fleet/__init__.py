"""KubeFleet's kinds as its controllers read them: placements, snapshots, bindings, works, overrides, runs, members.

Fields stand in the order of upstream's structs and have no default where upstream writes zero values: where a hash is
made of an object's JSON, as of a policy or an override, it is the hash that upstream makes.
"""
