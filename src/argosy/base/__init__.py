"""What every other package stands on: time, quantities, selectors, errors, ids. Imports nothing of the project."""
