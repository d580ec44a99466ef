"""Everything that touches the world: processes, files, sockets, the clock and the terminal."""
