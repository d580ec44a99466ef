"""Programs under the debugger: what is asked for, how it runs, and the outcome."""
