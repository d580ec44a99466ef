"""JSON kept as it was spelled: parsing, pointers, schemas, and writing."""
