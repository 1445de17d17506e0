"""What a worker does with one repository: index it, or link it with the repositories it uses.

A failure is a row with the step and the reason; it never fails the job.
"""

from __future__ import annotations

import os
import resource
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from m1nd_fleet.clones import CHANGED, check_out, find_commit, hold_lock
from m1nd_fleet.processes import StepError, run_step
from m1nd_fleet.repositories import Repository
from m1nd_fleet.settings import Settings
from m1nd_fleet.tables import is_complete, partition, write_table

#: Words of the column `status`.
DONE, PRESENT, FAILED = "done", "present", "failed"
#: Seconds between two attempts.
_PAUSE = 1.0


@dataclass(frozen=True)
class Link:
    """A repository and those that it uses, with the states that were indexed."""

    repository: Repository
    commit: str
    providers: tuple[tuple[Repository, str], ...]
    key: str
    """Name of this combination of states: the commit of its partition."""


def index_repository(repository: Repository, settings: Settings) -> dict[str, Any]:
    """Exports the tables of a repository."""

    def attempt() -> tuple[str, str]:
        generator = read_version(settings)
        commit = find_commit(repository, settings.timeout)
        is_repeatable = not commit.endswith(CHANGED)
        if is_repeatable and not settings.force and is_complete(settings.output, repository.name, commit, generator):
            return PRESENT, commit
        with _scratch(settings) as environment:
            folder = check_out(
                repository, commit.removesuffix(CHANGED), environment["M1ND_FLEET_WORK"], settings.timeout
            )
            place = ["--output", settings.output, "--repository", repository.name, "--commit", commit]
            command = [settings.binary, "export", str(folder), "--quiet", "--format", "parquet", *place]
            run_step("export", command, settings.timeout, environment=environment)
        return DONE, commit

    return _try(repository, "index", attempt, settings)


def link_repository(link: Link, settings: Settings) -> dict[str, Any]:
    """Exports the edges from a repository into those that it uses, which m1nd links as one federation."""

    def attempt() -> tuple[str, str]:
        path = partition(settings.output, "cross_edges", link.repository.name, link.key)
        if path.is_file() and not settings.force and CHANGED not in link.key:
            return PRESENT, link.key
        members = [(link.repository, link.commit), *link.providers]
        with _scratch(settings) as environment, tempfile.TemporaryDirectory(prefix="m1nd-fleet-") as folder:
            work = environment["M1ND_FLEET_WORK"]
            workspace = Path(folder) / "workspace"
            workspace.mkdir()
            # Names in a workspace have no `/`.
            names = {f"r{number}": repository.name for number, (repository, _) in enumerate(members)}
            for alias, (repository, commit) in zip(names, members, strict=True):
                tree = check_out(repository, commit.removesuffix(CHANGED), work, settings.timeout)
                add = [settings.binary, "workspace", "add", str(tree), "--name", alias]
                # Two processes that allow folders at once would lose one of them.
                with hold_lock(Path(environment["M1ND_HOME"]) / "fleet.lock"):
                    run_step("workspace", add, settings.timeout, cwd=workspace, environment=environment)
            place = ["--output", folder, "--tables", "cross_edges,files", "--repository", "r", "--commit", "c"]
            command = [settings.binary, "export", str(workspace), "--quiet", "--format", "parquet", *place]
            run_step("link", command, settings.timeout, environment=environment)
            _check_members(partition(folder, "files", "r", "c"), names)
            _publish(partition(folder, "cross_edges", "r", "c"), names, path)
        return DONE, link.key

    return _try(link.repository, "link", attempt, settings)


def _check_members(files: Path, names: dict[str, str]) -> None:
    """Refuses a federation that leaves a repository out: it would show that nothing there is used."""
    paths = pq.ParquetFile(files).read(columns=["path"]).column("path").to_pylist()
    found = {path.partition("/")[0] for path in paths}
    for alias, name in names.items():
        if alias not in found:
            raise StepError("link", f"m1nd left {name} out of the federation")


def _publish(source: Path, names: dict[str, str], target: Path) -> None:
    """Keeps the edges that leave the first repository, under the names of the fleet."""
    file = pq.ParquetFile(source)
    table = file.read()
    rows = [row for row in table.to_pylist() if row["source_repository"] == "r0"]
    for row in rows:
        row["source_repository"] = names[row["source_repository"]]
        row["target_repository"] = names[row["target_repository"]]
    write_table(target, type(table).from_pylist(rows, schema=table.schema))


def read_version(settings: Settings) -> str:
    """The program and its version, as its tables name it: without the details of the build."""
    words = run_step("version", [settings.binary, "--version"], settings.timeout).split()
    return " ".join(words[:2])


@contextmanager
def _scratch(settings: Settings) -> Iterator[dict[str, str]]:
    """The environment of the program: the shared cache and folder of clones, or temporary ones."""
    temporary = tempfile.mkdtemp(prefix="m1nd-fleet-")
    try:
        home = settings.home or str(Path(temporary) / "home")
        work = settings.work or str(Path(temporary) / "work")
        Path(home).mkdir(parents=True, exist_ok=True)
        yield {"M1ND_HOME": home, "M1ND_FLEET_WORK": work, "RAYON_NUM_THREADS": str(settings.threads)}
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _try(
    repository: Repository, stage: str, attempt: Callable[[], tuple[str, str]], settings: Settings
) -> dict[str, Any]:
    """Repeats a failed attempt, and makes a row of the outcome."""
    start, cpu = time.monotonic(), _read_cpu()
    status, commit, step, reason, attempts = FAILED, "", "", "", 0
    while attempts < max(settings.attempts, 1):
        attempts += 1
        try:
            status, commit = attempt()
        except StepError as error:
            step, reason = error.step, error.reason
        except Exception as error:
            step, reason = stage, f"{type(error).__name__}: {error}"
        else:
            step = reason = ""
            break
        if attempts < settings.attempts:
            time.sleep(_PAUSE)
    return {
        "repository": repository.name,
        "team": repository.team,
        "stage": stage,
        "status": status,
        "commit": commit,
        "step": step,
        "reason": reason,
        "attempts": attempts,
        "seconds": round(time.monotonic() - start, 3),
        "cpu_seconds": round(_read_cpu() - cpu, 3),
        "worker": f"{socket.gethostname()}:{os.getpid()}",
    }


def _read_cpu() -> float:
    """CPU seconds of the programs that this process has started."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
