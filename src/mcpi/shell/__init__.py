"""All IO: processes, files, sockets, the clock, and the terminal."""
