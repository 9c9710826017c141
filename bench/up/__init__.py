"""How long a user waits for a fleet, and for the command."""
