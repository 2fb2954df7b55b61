"""Files, folders and stores of objects that results go to, never over a file that is not an output."""
