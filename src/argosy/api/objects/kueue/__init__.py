"""Kueue's kinds (kueue.x-k8s.io/v1beta2) as typed views: what queueing, dispatch and explanations read of them.

The server converts v1beta1 on the way in and out, so there is one form here. Pod templates stay dicts: jobs are
started from all of them.
"""
