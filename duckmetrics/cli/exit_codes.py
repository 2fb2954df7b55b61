"""How the program ends: 0 fine, 1 a gate failed, 2 bad usage or bad input, 3 the engine failed."""

from __future__ import annotations

GATE_FAILED, BAD_INPUT, ENGINE_FAILED, INTERRUPTED = 1, 2, 3, 130
# The code that a shell reports for a program that a closed pipe ends.
PIPE_CLOSED = 141
