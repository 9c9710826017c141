"""What a hub does for jobs beside placing them: it remembers how they ended, and lets go of those that ask for it."""
