"""One connection as a sans-IO state machine: negotiation, requests, retries."""
