"""OAuth requests, tokens and metadata, without IO."""
