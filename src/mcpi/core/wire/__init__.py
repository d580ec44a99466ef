"""The wire protocol: parsing and serialization of messages, without IO."""
