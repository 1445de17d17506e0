"""Runs m1nd over many repositories on Spark, and answers questions about all of them."""

from m1nd_fleet.settings import Settings

__all__ = ["Settings"]
__version__ = "0.1.0"
