"""JSON with its original spelling: parsing, pointers, schemas and writing."""
