"""What other conventions would say: ties, other tools, sampled candidates."""
