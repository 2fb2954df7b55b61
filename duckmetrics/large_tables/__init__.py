"""Large tables: with a few tables more, a query over many rows takes less time and gives the same values."""
