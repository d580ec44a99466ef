"""All decisions of mcpi, as pure functions and values without IO."""
