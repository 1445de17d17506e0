"""Work trees of repositories on a worker."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from m1nd_fleet.processes import StepError, run_step
from m1nd_fleet.repositories import Repository
from m1nd_fleet.tables import escape

#: Set for git: no questions, no settings of the user.
_ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
#: Added to a commit whose work tree differs from it.
CHANGED = "-changed"


def find_commit(repository: Repository, timeout: float) -> str:
    """The commit that a repository is at, without cloning it."""
    if repository.is_address:
        wanted = repository.revision or "HEAD"
        output = run_step(
            "find commit", ["git", "ls-remote", "--", repository.location, wanted], timeout, environment=_ENVIRONMENT
        )
        words = output.split()
        if words:
            return words[0]
        raise StepError("find commit", f"{repository.location} has no `{wanted}`")
    if not Path(repository.location).is_dir():
        raise StepError("find commit", f"{repository.location} is not a folder")
    git = ["git", "-C", repository.location, "-c", "safe.directory=*"]
    commit = run_step("find commit", [*git, "rev-parse", "HEAD"], timeout, environment=_ENVIRONMENT).strip()
    changes = run_step("find commit", [*git, "status", "--porcelain"], timeout, environment=_ENVIRONMENT)
    return commit + CHANGED if changes.strip() else commit


def check_out(repository: Repository, commit: str, work: str, timeout: float) -> Path:
    """The folder with a repository's files at a commit; clones it if the worker has none."""
    if not repository.is_address:
        return Path(repository.location)
    folder = Path(work) / escape(repository.name) / commit
    with hold_lock(Path(work) / f"{escape(repository.name)}.lock"):
        if folder.is_dir():
            return folder
        part = folder.with_name(f".{commit}")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        git = ["git", "-C", str(part)]
        for command in (
            [*git, "init", "--quiet"],
            [*git, "remote", "add", "origin", repository.location],
            [*git, "fetch", "--quiet", "--depth", "1", "origin", commit],
            [*git, "checkout", "--quiet", "--detach", "FETCH_HEAD"],
        ):
            run_step("clone", command, timeout, environment=_ENVIRONMENT)
        part.rename(folder)
    return folder


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Keeps other tasks of this worker out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
