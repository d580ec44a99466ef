"""Files, standard streams, and the terminal."""
