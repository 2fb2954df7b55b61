"""Inputs of an evaluation: requests, tables and their columns, systems, slices."""
