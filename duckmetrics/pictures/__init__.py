"""From the rows of a result to a chart: its name, the numbers that it draws, and their order."""
