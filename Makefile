# Every target builds .venv by itself; Python 3.11 or newer is all that has to be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: venv demo test test-long peer test-differential bench-apiserver bench-store bench-control bench-clusters bench-workloads bench-queueing bench-placement bench-up bench-fleet bench-fleet-growth bench-kueue-load readme conformance conformance-placement lint format clean

venv: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Argosy needs Python 3.11 or newer; run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@# pip compiles what it copies, and nothing of an editable installation: without this the first start would.
	$(BIN)/python -m compileall -q src
	@touch $(STAMP)

# The guide on a fleet of its own; DEMO=fairness and DEMO=burst tell the other stories.
demo: $(STAMP)
	@$(BIN)/argosy demo $(DEMO) --state .demo

test: $(STAMP)
	$(BIN)/pytest -n 2 --dist loadscope

# Demos from end to end, and kills and interruptions of real fleets at many moments.
test-long: $(STAMP)
	$(BIN)/pytest -n 2 --dist loadscope -m long

# A real control plane (etcd, kube-apiserver, kube-controller-manager, kube-scheduler) and kwok, built with Go into .peer/.
peer: $(STAMP)
	$(BIN)/python peer/build.py

# More than a thousand requests on a real kube-apiserver and on Argosy, answers compared; the stories of controllers and
# scheduler on a real control plane and on Argosy; the remote client on both.
test-differential: peer
	$(BIN)/python -m tests.differential
	$(BIN)/python -m tests.differential.controllers
	$(BIN)/pytest -m differential tests/behaviour/clients

# Without Go the peer is left out and the benchmark says so.
bench-apiserver: $(STAMP)
	-$(BIN)/python peer/build.py
	$(BIN)/python -m bench.apiserver

bench-store: $(STAMP)
	$(BIN)/python -m bench.store
	-$(BIN)/python peer/build.py
	$(BIN)/python -m bench.apiserver.restart

bench-control: $(STAMP)
	$(BIN)/python -m bench.control

bench-clusters: $(STAMP)
	$(BIN)/python -m bench.clusters

# Jobs on simulated nodes, and on kwok with a real control plane where Go is at hand to build it.
bench-workloads: $(STAMP)
	-$(BIN)/python peer/build.py
	$(BIN)/python -m bench.workloads
	$(BIN)/python -m bench.workloads.writes
	$(BIN)/python -m bench.workloads.scheduling

# The load of Kueue's scheduler benchmark through the API, and the heart of queueing alone.
bench-queueing: $(STAMP)
	$(BIN)/python -m bench.queueing

# The user's proof: 80 clusters, 70,000 nodes, 140,000 pods, from an empty directory, and what is left at the end.
bench-fleet: $(STAMP)
	$(BIN)/python -m bench.fleet

# The same on 10, 20, 40 and 80 clusters: what a cluster costs must not depend on how many there are.
bench-fleet-growth: $(STAMP)
	$(BIN)/python -m bench.fleet --clusters 10 20 40 80 --until running

# 15,000 and 50,000 workloads through the HTTPS API, by a client in another process.
bench-kueue-load: $(STAMP)
	$(BIN)/python -m bench.queueing --only load

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .demo

# Kueue's own cases through the pure heart of queueing; FIXTURES names a directory of them, AREA one area.
conformance: $(STAMP)
	$(BIN)/python -m tests.conformance $(if $(FIXTURES),--fixtures $(FIXTURES)) $(if $(AREA),--area $(AREA))

# KubeFleet's golden runs, played with kubectl on a fresh fleet; FIXTURES names a directory of them.
conformance-placement: $(STAMP)
	$(BIN)/python -m tests.golden $(if $(FIXTURES),--fixtures $(FIXTURES))

# Placements a second, many members, and a change that reaches all of them.
bench-placement: $(STAMP)
	$(BIN)/python -m bench.placement

# What a user waits for: the command's help, a fleet, a submitted job.
bench-up: $(STAMP)
	$(BIN)/python -m bench.up

# The README's numbers are those of bench/results, which benchmarks write with --record.
readme: $(STAMP)
	$(BIN)/python -m bench.recording
