"""Kinds: schemas, defaults, validation, conversion, patches, columns. Pure: an object in, an object or a list of
errors out.
"""
