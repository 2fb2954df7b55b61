"""Comparison of systems: is one better than another?"""
