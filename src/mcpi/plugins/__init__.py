"""One file a method group: its flags and its plans."""
