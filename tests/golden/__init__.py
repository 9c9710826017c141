"""KubeFleet's golden runs on Argosy: a fleet as the real one had it, the same kubectl commands, the same objects.

`python -m tests.golden --fixtures DIR` (`make conformance-placement`) starts a hub and two members as `fleet` describes
them, an agent process for each, runs DIR/replay.sh case by case and compares with DIR/normalize.py.
"""
