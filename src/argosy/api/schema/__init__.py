"""The shape of an object: one schema type for built-in kinds and for CRDs, and what is done with it (prune,
default, validate).
"""
