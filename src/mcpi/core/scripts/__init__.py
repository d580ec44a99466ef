"""Batch scripts: parsing, execution, and expectations."""
