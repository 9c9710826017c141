"""Queueing: the heart alone, and the load of Kueue's scheduler benchmark through the API."""
