"""The generated pages of the documentation: from the definitions, the presets, the docstrings and the commands."""
