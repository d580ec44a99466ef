"""Every decision of mcpi: pure functions and values, no contact with the world."""
