"""Detection and masking of secrets."""
