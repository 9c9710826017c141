"""The member's side of belonging to a fleet: it joins, beats, tells what it has, and leaves when it is told to.

`reports` is what an agent says (pure), `agents` when it says it, `probing` whether the cluster's API server answers.
"""

from argosy.member.joining.agents import Joining, add_joining

__all__ = ["Joining", "add_joining"]
