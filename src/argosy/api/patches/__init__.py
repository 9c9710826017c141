"""The three patch formats that change an object without owning it: JSON patch, merge patch, strategic merge patch.

Each module has one function that takes an object and a decoded patch and returns the patched object. Neither argument
is changed; the result shares every untouched part with the original and may share parts with the patch, so whoever
wants to write into the result copies first. Server-side apply, which owns fields, lives in `argosy.api.apply`.
"""
