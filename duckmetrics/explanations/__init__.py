"""The facts of explanations, and the words for them."""
