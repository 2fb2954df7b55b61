"""Text for a terminal from plain rows: tables that fit, intervals on an axis, verdicts in a sentence."""
