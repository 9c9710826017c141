"""Jobs of a cluster that was lost go to another one: once, and only what can no longer run where it was.

A placement that picks N clusters and says `argosy.dev/reschedule: after=10m` loses a cluster of which the hub has heard
nothing for ten minutes, if there is another one to take (`deciding`, with the scheduler's own code). `hearing` knows
who was heard when, by the hub's own clock alone; `wishes` reads placements; `controllers` writes.

Why no job runs twice. An agent that applies a Work of such a placement first writes to the Work that it accepts the
terms; the hub gives away only what was accepted, or never touched. The agent counts from the moment it sent its last
acknowledged heartbeat and ends the jobs when three quarters of the time have passed; the hub counts the whole time from
the moment it heard the same heartbeat, which is never earlier. So the old copy is told to end a quarter of the time
before a new one can begin, whatever their clocks say and however long messages take.

That leaves an agent that comes back just when its jobs are given away. Before it gives up anything of a cluster, the
hub marks the cluster's InternalMemberCluster as lost, if it still is as it was at the last heartbeat: a beat that came
first makes that write fail, and a beat that comes later is answered with the mark, which is no leave to run anything.
The mark goes when the cluster has been heard again and all that was given up there is being deleted. Only then does the
agent read its Works anew, and starts again what it may keep.

What cannot be fenced is a cluster that goes on without its agent: while nobody runs the agent, nobody ends the jobs.
"""
