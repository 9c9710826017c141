"""Whom to preempt so that a workload fits: as few as possible, in a stated order. Pure."""
