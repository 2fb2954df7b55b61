"""From values of units to the rows of a result."""
