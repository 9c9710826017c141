"""Placement templates: one ResourcePlacement that places each object it selects on its own, beyond KubeFleet.

The guide's pattern is a placement for each job. A ResourcePlacement annotated `argosy.dev/placement-template: each` is
that pattern written once: every object its selectors match gets a placement of its own, made of the template's policy
and strategy, which is scheduled, rolled out and told about like any other. So a stream of jobs needs no more than the
label that the template selects by.
"""
