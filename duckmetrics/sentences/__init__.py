"""The sentences that a screen, a page and a caller of Python read: who writes one writes it here."""
