"""Plans: how many units a comparison needs, and what it can find with those it has."""
