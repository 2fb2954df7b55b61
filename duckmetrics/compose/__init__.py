"""Composition of definitions into one query, and the rules that make the query cheap and exact."""
