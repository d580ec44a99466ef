"""HTTP clients: a small one for plain http:// URLs, and a library for TLS, proxies and unusual URLs."""
