"""What Kueue counts, under Kueue's names: dashboards and alerts made for it read these at /metrics.

Counters and histograms are written where something happens: `lives` of workloads, `attempts` of the scheduler, `jobs`
and their pods. Gauges tell what the engine knows at the time somebody reads them: `clusterqueues`, `localqueues`,
`cohorts`, and `standing`, which counts workloads by where they are. Nothing is done for them between two reads.
"""
