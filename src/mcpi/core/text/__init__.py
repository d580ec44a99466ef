"""Human-readable text: colors, timestamps, suggestions, and layout."""
