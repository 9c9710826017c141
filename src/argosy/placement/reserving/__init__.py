"""What clusters were promised to: capacity of placements that are on their way and not yet in any cluster's report.

Upstream scores clusters by their last report, so whatever is submitted between two heartbeats goes to one and the same
cluster. Here what was promised counts against what is available until the cluster's own report contains it.
"""
