"""Plugin discovery through entry points."""
