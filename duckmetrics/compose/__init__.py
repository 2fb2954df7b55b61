"""From definitions to one query: the composer, and the rules that make it cheap and exact."""
