def page(scenario, ledger, summary):
    return ""
