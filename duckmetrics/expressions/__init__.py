"""SQL expressions: literals, parameters, constant folding."""
