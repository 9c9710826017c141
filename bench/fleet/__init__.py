"""The user's proof on one machine: a fleet of many clusters, full to the last core with jobs placed from its hub."""
