"""OAuth in the real world: HTTP, signing keys, browser callback, token store."""
