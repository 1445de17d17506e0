"""A run over small repositories: failures are rows, a second run repeats nothing, links equal those of `federate`."""

from __future__ import annotations

import dataclasses
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from conftest import git, write_repository

from m1nd_fleet import tables
from m1nd_fleet.engines import DuckEngine, read_query
from m1nd_fleet.fleet import Report, run_fleet
from m1nd_fleet.pools import SparkPool
from m1nd_fleet.repositories import ListError, Repository
from m1nd_fleet.settings import Settings
from m1nd_fleet.worker import DONE, PRESENT, index_repository

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def ask(settings: Settings, query: str, **parameters: str) -> list[dict[str, object]]:
    engine = DuckEngine()
    engine.register(settings.output)
    return engine.query(read_query(query), parameters)


def test_a_failure_is_a_row(report: Report, settings: Settings) -> None:
    assert [(row["repository"], row["step"]) for row in report.failures] == [("acme/missing", "find commit")]
    assert report.failures[0]["reason"] == "/nowhere/missing is not a folder"
    assert report.failures[0]["attempts"] == 2
    assert report.count("index", DONE) == 4
    stored = pq.read_table(Path(settings.output) / "failures" / f"run={report.run}").to_pylist()
    assert [row["repository"] for row in stored] == ["acme/missing"]


def test_callers_in_all_repositories(report: Report, settings: Settings) -> None:
    rows = ask(settings, "callers", name="hello")
    found = [(row["repository"], row["source_name"], row["tier"], row["target"]) for row in rows]
    target = "file::greet/words.py::fn::hello"
    assert found == [("acme/desk", "welcome", "certain", target), ("acme/shell", "main", "certain", target)]
    assert [row["source_name"] for row in ask(settings, "callers", name="say", repository="acme/greet")] == [
        "twice",
        "hello",
    ]


def test_links_are_those_of_a_federation(
    report: Report, settings: Settings, repositories: list[Repository], tmp_path: Path
) -> None:
    folders = {repository.name: repository.location.removeprefix("file://") for repository in repositories}
    for user in ("acme/desk", "acme/shell"):
        workspace = tmp_path / user.replace("/", "-")
        workspace.mkdir()
        environment = {**os.environ, "M1ND_HOME": str(tmp_path / "home")}
        run = {"cwd": workspace, "env": environment, "check": True, "capture_output": True}
        for name, folder in (("user", folders[user]), ("used", folders["acme/greet"])):
            subprocess.run([settings.binary, "workspace", "add", folder, "--name", name], **run)
        place = ["--output", "out", "--tables", "cross_edges", "--repository", "r", "--commit", "c"]
        subprocess.run([settings.binary, "export", ".", "--quiet", "--format", "parquet", *place], **run)
        expected = [
            (row["source"], row["target"], row["relation"], row["tier"], row["lines"])
            for row in pq.ParquetFile(workspace / "out/cross_edges/repository=r/commit=c/part-0.parquet")
            .read()
            .to_pylist()
            if row["source_repository"] == "user"
        ]
        state = next(row for row in tables.read_rows(Path(settings.output) / "current" / tables.FILE)
                     if row["repository"] == user)  # fmt: skip
        path = tables.partition(settings.output, "cross_edges", user, state["links"])
        found = [
            (row["source"], row["target"], row["relation"], row["tier"], row["lines"])
            for row in pq.ParquetFile(path).read().to_pylist()
        ]
        assert expected
        assert found == expected


def test_a_second_run_repeats_nothing(
    spark: SparkSession, report: Report, repositories: list[Repository], settings: Settings
) -> None:
    again = run_fleet(SparkPool(spark), repositories, settings)
    assert (again.count("index", PRESENT), again.count("index", DONE)) == (4, 0)
    assert (again.count("link", PRESENT), again.count("link", DONE)) == (2, 0)


def test_a_change_runs_its_repository_and_those_that_use_it(
    spark: SparkSession, report: Report, repositories: list[Repository], settings: Settings
) -> None:
    folder = Path(repositories[0].location.removeprefix("file://"))
    before = git(folder, "rev-parse", "HEAD")
    write_repository(folder, {"greet/more.py": "def more():\n    return 2\n"})
    again = run_fleet(SparkPool(spark), repositories, settings)
    done = [(row["stage"], row["repository"]) for row in again.rows if row["status"] == DONE]
    assert done == [("index", "acme/greet"), ("link", "acme/desk"), ("link", "acme/shell")]
    git(folder, "reset", "--quiet", "--hard", before)
    assert run_fleet(SparkPool(spark), repositories, settings).count("index", DONE) == 0


def test_work_trees_with_changes_are_always_run(repositories: list[Repository], settings: Settings) -> None:
    folder = Path(repositories[3].location)
    (folder / "new.py").write_text("x = 1\n", encoding="utf-8")
    try:
        rows = [index_repository(repositories[3], settings) for _ in range(2)]
    finally:
        (folder / "new.py").unlink()
    assert [row["status"] for row in rows] == [DONE, DONE]
    assert rows[0]["commit"].endswith("-changed")


@pytest.mark.parametrize(
    ("script", "step", "reason"),
    [
        ("sleep 60", "version", "took longer than 0.5 s"),
        ('[ "$1" = --version ] && echo m1nd 1 && exit; echo broken >&2; exit 3', "export", "exit code 3: broken"),
    ],
)
def test_steps_are_bounded_and_named(
    repositories: list[Repository], settings: Settings, tmp_path: Path, script: str, step: str, reason: str
) -> None:
    program = write_program(tmp_path / "program", script)
    timeout = 0.5 if "sleep" in script else 60.0
    broken = dataclasses.replace(settings, binary=str(program), timeout=timeout, output=str(tmp_path / "out"))
    row = index_repository(repositories[1], broken)
    assert (row["status"], row["step"], row["reason"], row["attempts"]) == ("failed", step, reason, 2)


def test_a_repository_is_tried_again(repositories: list[Repository], settings: Settings, tmp_path: Path) -> None:
    marker = tmp_path / "tried"
    script = f'[ "$1" = --version ] || [ -e {marker} ] || {{ touch {marker}; exit 1; }}; exec {settings.binary} "$@"'
    program = write_program(tmp_path / "program", script)
    once = dataclasses.replace(settings, binary=str(program), output=str(tmp_path / "out"))
    row = index_repository(repositories[1], once)
    assert (row["status"], row["attempts"]) == (DONE, 2)


def write_program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_names_that_engines_cannot_compare_are_refused(spark: SparkSession, settings: Settings) -> None:
    with pytest.raises(ListError, match="characters"):
        run_fleet(SparkPool(spark), [Repository("a b", "/x")], settings)
