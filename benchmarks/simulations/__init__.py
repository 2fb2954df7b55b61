"""Simulations: do intervals and tests keep what they promise?"""
