"""Node.js inspector sessions (Chrome DevTools Protocol), without IO."""
