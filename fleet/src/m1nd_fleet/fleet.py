"""The job: index every repository, find who uses whom, link those, and note the state that questions are about."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from m1nd_fleet import tables
from m1nd_fleet.clones import CHANGED
from m1nd_fleet.engines import Engine, read_query
from m1nd_fleet.pools import Pool
from m1nd_fleet.repositories import ListError, Repository
from m1nd_fleet.settings import Settings
from m1nd_fleet.worker import FAILED, Link, index_repository, link_repository

Row = dict[str, Any]


@dataclass
class Report:
    """What a run did."""

    run: str
    """Name of the run."""
    rows: list[Row] = field(default_factory=list)
    """A row for each repository and stage."""

    @property
    def failures(self) -> list[Row]:
        """The rows of what failed."""
        return [row for row in self.rows if row["status"] == FAILED]

    def count(self, stage: str, status: str) -> int:
        """Number of rows of a stage with a status."""
        return sum(row["stage"] == stage and row["status"] == status for row in self.rows)


def run_fleet(pool: Pool, repositories: Sequence[Repository], settings: Settings) -> Report:
    """Brings the tables up to date. Repositories whose commit and version are there are not run again."""
    for repository in repositories:
        if not tables.is_safe_name(repository.name):
            raise ListError(f"`{repository.name}` has characters other than letters, digits, `.`, `_`, `-` and `/`")
    report = Report(time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()))
    before = {row["repository"]: row for row in tables.read_rows(_current(settings))}
    # 1. Index. What fails keeps the state of the last run, if there is one.
    indexed = pool.run(repositories, settings, index_repository)
    report.rows += indexed
    states: dict[str, Row] = {}
    for repository, row in zip(repositories, indexed, strict=True):
        known = before.get(repository.name, {})
        commit = row["commit"] if row["status"] != FAILED else known.get("commit")
        if commit:
            states[repository.name] = {
                "repository": repository.name,
                "commit": commit,
                "team": repository.team,
                "links": known.get("links") or "",
            }
    _write_current(settings, states)
    # 2. Find who uses whom, by package; link each user with what it uses.
    by_name = {repository.name: repository for repository in repositories}
    links = plan_links(pool.engine, by_name, states, settings)
    linked = pool.run(links, settings, link_repository)
    report.rows += linked
    used = {link.repository.name for link in links}
    for name, state in states.items():
        if name not in used:
            state["links"] = ""
    for link, row in zip(links, linked, strict=True):
        if row["status"] != FAILED:
            states[link.repository.name]["links"] = link.key
    _write_current(settings, states)
    # 3. Note the run.
    for table, rows in (("runs", report.rows), ("failures", report.failures)):
        path = Path(settings.output) / table / f"run={report.run}" / tables.FILE
        tables.write_rows(path, tables.RUNS, rows)
    return report


def plan_links(
    engine: Engine, by_name: dict[str, Repository], states: dict[str, Row], settings: Settings
) -> list[Link]:
    """Who uses packages of whom, by the join of uses with packages that repositories provide."""
    engine.register(settings.output)
    providers: dict[str, list[str]] = {}
    for row in engine.query(read_query("pairs")):
        providers.setdefault(row["repository"], []).append(row["provider"])
    links = []
    for name in sorted(providers):
        if name not in by_name:
            continue
        members = [(by_name[other], states[other]["commit"]) for other in sorted(providers[name]) if other in by_name]
        text = "\n".join(f"{repository.name} {commit}" for repository, commit in members)
        digest = hashlib.sha256(f"{states[name]['commit']}\n{text}".encode()).hexdigest()[:16]
        is_changed = any(commit.endswith(CHANGED) for _, commit in members) or states[name]["commit"].endswith(CHANGED)
        key = f"{digest}{CHANGED}" if is_changed else digest
        links.append(Link(by_name[name], states[name]["commit"], tuple(members), key))
    return links


def _current(settings: Settings) -> Path:
    return Path(settings.output) / "current" / tables.FILE


def _write_current(settings: Settings, states: dict[str, Row]) -> None:
    rows = [states[name] for name in sorted(states)]
    tables.write_rows(_current(settings), tables.CURRENT, rows)
