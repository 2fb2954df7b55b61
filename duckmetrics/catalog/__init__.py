"""The definitions under sql/: headers, metrics and their specs; the conventions and layouts of tools."""
