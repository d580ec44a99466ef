"""JSON that preserves its original text: parsing, pointers, schemas, and writing."""
