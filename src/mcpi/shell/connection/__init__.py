"""One live connection: transport, driver, and schema validation."""
