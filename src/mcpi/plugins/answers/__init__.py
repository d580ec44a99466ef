"""Built-in responses to requests from the server."""
