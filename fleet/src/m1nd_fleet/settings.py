"""What one run of the fleet needs to know. Sent to every worker, so it holds plain values only."""

from __future__ import annotations

from dataclasses import dataclass

#: Seconds that cloning or indexing one repository may take.
DEFAULT_TIMEOUT = 1800.0
#: How often a repository is tried before its failure becomes a row.
DEFAULT_ATTEMPTS = 2


@dataclass(frozen=True)
class Settings:
    """Settings of a run."""

    output: str
    """Folder of the tables, which all workers can reach."""
    binary: str = "m1nd"
    """The program, on every worker."""
    home: str = ""
    """M1ND_HOME of the workers: the shared cache of parsed files. A temporary one if empty."""
    work: str = ""
    """Folder for clones of repositories given as URLs. A temporary one if empty."""
    timeout: float = DEFAULT_TIMEOUT
    """Seconds that each step of one repository may take."""
    attempts: int = DEFAULT_ATTEMPTS
    """How often a repository is tried."""
    threads: int = 1
    """Threads of one m1nd process (RAYON_NUM_THREADS): a task of Spark counts as one core."""
    force: bool = False
    """Run repositories again whose commit and version are there."""
