"""Who asks, and may they: identities, tokens, RBAC, reviews, certificates."""
