"""The text front end: what is said, and in which segments. Imports no torch and no numpy."""
