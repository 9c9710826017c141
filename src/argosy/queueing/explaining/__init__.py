"""Why: the scheduler's decisions told to people, with what they turn on and what would change them. Pure."""
