"""The work generator: a binding becomes Works in its member's namespace, and their results become its status.

`envelopes` unpacks envelopes, `building` makes the Works that a binding wants, `syncing` compares them with those there
are and `writing` carries it out; `reporting` reads what members say of them, `statuses` puts it into a binding's
status. `occasions` says when to look, and `controllers` does.
"""
