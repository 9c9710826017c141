"""Ends jobs that the hub may have given to another cluster, before it can have done so.

A Work that carries `argosy.dev/reschedule: after=10m` may run here only while the hub is known to count on this
cluster. The proof is a heartbeat that the hub has acknowledged, and it is good for three quarters of the ten minutes
from the moment the heartbeat was *sent* (`standings`). The hub gives nothing away before ten minutes have passed since
it *heard* that heartbeat, and it cannot have heard it before it was sent. So whatever is ended when the proof has run
out has been told to end two and a half minutes before it can begin elsewhere; no clock is compared with another's.

* The terms are written down on both sides before anything is applied: on the AppliedWork, for an agent that starts
  again, and on the Work, where they tell the hub that there is somebody who will keep them.
* When the proof runs out, the AppliedWork is deleted, and the cluster's garbage collector takes all that it owns.
  This needs the member only. Works whose jobs have all finished are spared: nothing of them runs.
* A proof that ran out is not renewed by the next heartbeat alone. The hub may have given the Work away meanwhile, and
  what this agent has watched may be old. So the Work is read afresh, after the heartbeat, and only if it is there and
  not being deleted is it applied again. A heartbeat that is answered with the mark `argosy.dev/lost` proves nothing.
* When it last spoke to the hub is kept on the member (`records`), because an agent that starts while it is cut off has
  no other way to know. It counts on from there; without a record it ends everything under terms at once.

What nobody guards against: an agent that does not run at all, and a member whose clock is set back while its agent
starts again.
"""
