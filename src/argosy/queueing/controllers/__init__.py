"""Controllers that feed queues and cache, do what was decided, and write statuses. Thin: they watch, ask and write."""
