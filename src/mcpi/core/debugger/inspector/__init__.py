"""V8 inspectors without IO: commands, breakpoints, source maps and recorded values."""
