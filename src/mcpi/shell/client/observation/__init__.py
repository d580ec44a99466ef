"""What a client observes: messages, the server, and the listeners that hear of them."""
