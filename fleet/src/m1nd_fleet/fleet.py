"""The job: index every repository, find who uses whom, link those, and note the state that questions are about."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from m1nd_fleet import tables
from m1nd_fleet.clones import CHANGED
from m1nd_fleet.engines import SparkEngine, read_query
from m1nd_fleet.repositories import ListError, Repository
from m1nd_fleet.settings import Settings
from m1nd_fleet.worker import FAILED, Link, index_repository, link_repository

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import SparkSession

Item = TypeVar("Item")
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


def run_fleet(spark: SparkSession, repositories: Sequence[Repository], settings: Settings) -> Report:
    """Brings the tables up to date. Repositories whose commit and version are there are not run again."""
    for repository in repositories:
        if not tables.is_safe_name(repository.name):
            raise ListError(f"`{repository.name}` has characters other than letters, digits, `.`, `_`, `-` and `/`")
    report = Report(time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()))
    before = {row["repository"]: row for row in tables.read_rows(_current(settings))}
    # 1. Index. What fails keeps the state of the last run, if there is one.
    indexed = distribute(spark, repositories, settings, index_repository)
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
    links = plan_links(spark, by_name, states, settings)
    linked = distribute(spark, links, settings, link_repository)
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
    spark: SparkSession, by_name: dict[str, Repository], states: dict[str, Row], settings: Settings
) -> list[Link]:
    """Who uses packages of whom, by the join of uses with packages that repositories provide."""
    engine = SparkEngine(spark)
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


def distribute(
    spark: SparkSession, items: Sequence[Item], settings: Settings, work: Callable[[Item, Settings], Row]
) -> list[Row]:
    """Calls `work` for each item on the workers, a task each, and returns the rows in the order of the items.

    A task that is lost with its worker is run again by Spark; what it had written is replaced.
    """
    if not items:
        return []
    fixed = list(items)

    def run_batch(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        import pandas as pd

        for batch in batches:
            for position in batch["id"]:
                row = work(fixed[int(position)], settings)
                yield pd.DataFrame([{"position": int(position), **row}])

    frame = spark.range(0, len(fixed), 1, len(fixed)).mapInPandas(run_batch, f"position long, {tables.RUNS_SQL}")
    rows = [row.asDict() for row in frame.collect()]
    rows.sort(key=lambda row: int(row["position"]))
    return [{key: value for key, value in row.items() if key != "position"} for row in rows]


def _current(settings: Settings) -> Path:
    return Path(settings.output) / "current" / tables.FILE


def _write_current(settings: Settings, states: dict[str, Row]) -> None:
    rows = [states[name] for name in sorted(states)]
    tables.write_rows(_current(settings), tables.CURRENT, rows)
