"""Definitions of custom kinds, written as types: the words (`vocabulary`), types that all groups share (`metadata`,
`fleet`) and the way from a kind to its CustomResourceDefinition (`kinds`).

Whoever brings kinds along (queueing, placement, member) says what they are made of in these words, in all versions at
once. Nothing here knows a kind.
"""
