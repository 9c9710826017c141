"""The Workload as a domain object: what it asks for and holds, its priority, what its status should say. Pure."""
