"""Charts, the report as a page of HTML, and text for terminals: from plain rows to what a person sees."""
