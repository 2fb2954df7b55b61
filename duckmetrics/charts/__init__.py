"""Inline SVG from aggregated numbers: percent coordinates, text that stays text, colors from CSS."""
