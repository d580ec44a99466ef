"""Values of a schema: validation, samples, and witnesses of changes."""
