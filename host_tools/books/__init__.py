"""The books as people read and mend them: rounds, overpaid players, the host's adjustments, a restored store."""
