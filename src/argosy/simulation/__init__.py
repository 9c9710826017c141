"""A fleet's life in virtual time, or in real time: `argosy simulate`.

A scenario is played by the controllers of a real fleet, on stores in memory, in one loop whose clock jumps to the next
event. There is no second scheduler here: this package submits jobs, cuts lines, changes quotas, and writes down what
the fleet makes of it. Clock, ids and randomness are handed in, so a seed gives the same history to the byte.

The walk of the data:

    reading     file -> Scenario  (`documents`: values that know their line; `shaping`: the fleet; `plans`: the result)
    arriving    Scenario -> jobs in the order of their arrival  (`drawing`: distributions), pure
    manifests   a job -> the objects `argosy submit` would create, pure
    fleets      Scenario -> hub and members in virtual time  (`lines`: the way to the hub, which can go dark)
    driving     does at each moment what the scenario says: submits, cuts, changes, tidies
    watching    the members' own informers -> Ledger
    ledgers     what happened: a Record per job, Meters over time, the event log
    summaries   Ledger -> numbers, pure        (`pages`, `charts`: numbers -> report.html, pure)
    outputs     the directory: events.jsonl, jobs.csv, summary.json, report.html
    running     all of it, with progress (`estimating`: will it fit?)

In real time (`--live`) the fleet is that of `argosy up`, in processes of its own, and some parts are others:

    living      the fleet and, beside it, the play of the scenario
    stages      the fleet as `driving` needs it, over HTTPS; doors of the hub instead of lines
    counting    Jobs' and NodePools' statuses -> Ledger, instead of `watching`
    shrinking   a scenario on a smaller fleet, pure
"""
