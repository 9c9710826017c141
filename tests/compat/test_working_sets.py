"""Sets of pods on nodes that run processes: a StatefulSet that keeps its data, a DaemonSet that is everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.compat.working import Working

pytestmark = pytest.mark.kubectl
pytest_plugins = ("tests.compat.working",)

STATEFUL = """
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: ubuntu:22.04
          command: [bash, -c, "echo $HOSTNAME >>/data/lives; cat /data/lives; exec sleep 1000"]
          volumeMounts: [{name: data, mountPath: /data}]
"""
EVERYWHERE = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: all}
spec:
  selector: {matchLabels: {app: all}}
  template:
    metadata: {labels: {app: all}}
    spec:
      terminationGracePeriodSeconds: 1
      tolerations: [{operator: Exists}]
      containers: [{name: main, image: "ubuntu:22.04", command: [sleep, "1000"]}]
"""


def test_a_stateful_set_keeps_its_name_and_its_data(working: Working) -> None:
    working("apply", "-f", "-", stdin=STATEFUL)
    working("rollout", "status", "statefulset/db", "--timeout=50s")
    assert working("get", "pvc").rows[1][:2] == ["data-db-0", "Bound"]
    working.until(lambda: working("logs", "db-0").lines == ["db-0"])
    first = working("get", "pod", "db-0", "-o", "jsonpath={.metadata.uid}").stdout
    working("delete", "pod", "db-0", "--timeout=50s")
    uid = ("get", "pod", "db-0", "--ignore-not-found", "-o", "jsonpath={.metadata.uid}")
    working.until(lambda: working(*uid).stdout, lambda found: found not in {"", first})
    working.wait("pod/db-0", "condition=ready")
    working.until(lambda: working("logs", "db-0").lines == ["db-0", "db-0"])
    address = working("get", "pod", "db-0", "-o", "jsonpath={.status.podIP}").stdout
    working.until(lambda: working("get", "endpoints", "db").rows[1][1] == f"{address}:80")


def test_a_daemon_set_is_on_every_node_of_both_kinds(working: Working) -> None:
    working("apply", "-f", "-", stdin=EVERYWHERE)
    working("rollout", "status", "daemonset/all", "--timeout=50s")
    pods = working("get", "pods", "-o", "json").json["items"]
    pools = sorted({pod["spec"]["nodeName"].partition("-")[0] for pod in pods})
    assert pools == ["dreams", "hands"]
    row = working("get", "daemonset", "all").rows[1]
    assert row[:6] == ["all", *[str(len(pods))] * 5]
