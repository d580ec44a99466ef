"""Source files: their URLs, functions, source maps, and the positions of breakpoints."""
