"""The generated pages of the documentation: from definitions, presets, docstrings and commands."""
