"""Checks of the data, before a number is printed."""
