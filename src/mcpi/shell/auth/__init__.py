"""IO for OAuth: HTTP requests, signing keys, browser callbacks, and the token store."""
