"""Whether what was applied works (`tracking`), and how jobs ended (`outcomes`). All of it is pure."""
