"""Controllers that feed the heart and write what it decides."""
