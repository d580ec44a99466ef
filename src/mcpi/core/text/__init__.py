"""Text for people: colors, timestamps, suggestions, layout."""
