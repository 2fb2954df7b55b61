"""The page "Try it" in a browser on this machine: where it is installed, and the server that opens it."""
