"""Objects, revisions, watch history, durability."""
