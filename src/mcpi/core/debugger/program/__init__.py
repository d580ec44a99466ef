"""Debugged programs: requests, launching, and results."""
