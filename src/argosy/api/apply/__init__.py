"""Who owns which field: managedFields of every write, and server-side apply.

Read in this order: `fieldsets` (sets of fields, as they stand in managedFields), `shapes` (what of a schema ownership
needs), `typed` (from objects to sets and back), `merging` (two objects into one), `entries` (the managedFields list),
`tracking` (ownership after a create, update or patch) and `applying` (server-side apply itself).
Mirrors structured-merge-diff and apimachinery's util/managedfields; everything here is pure.
"""
