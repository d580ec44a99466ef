"""Skills extension: list, read and verify skills."""
