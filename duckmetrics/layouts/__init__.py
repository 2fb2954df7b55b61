"""Layouts: the columns and files in which tools write predictions and truth, one declarative file each."""
