"""The words of an answer: verdicts, sentences, units, explanations; a sentence is written here once."""
