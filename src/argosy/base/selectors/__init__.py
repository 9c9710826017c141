"""Label and field selectors: parsed once, matched often."""
