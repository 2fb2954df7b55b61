"""One call, from the request to results."""
