"""The definitions under sql/: headers, metrics and their specs, signatures."""
