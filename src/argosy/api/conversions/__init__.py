"""Conversions between versions of built-in kinds that differ in more than their apiVersion."""
