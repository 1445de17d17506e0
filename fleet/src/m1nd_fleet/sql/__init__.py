"""The worked queries."""
