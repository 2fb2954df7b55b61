"""Leaderboards: all systems ranked, with what the tests of all pairs show about their places."""
