"""The command line: `python -m m1nd_fleet run`, `ask`, `queries`, `prune`."""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from m1nd_fleet import tables
from m1nd_fleet.engines import (
    PARAMETERS,
    DataFusionEngine,
    DuckEngine,
    Engine,
    SparkEngine,
    build_parameters,
    list_queries,
    read_query,
)
from m1nd_fleet.fleet import run_fleet
from m1nd_fleet.pools import LocalPool, Pool, SparkPool
from m1nd_fleet.repositories import ListError, read_list
from m1nd_fleet.sessions import open_sail, open_spark
from m1nd_fleet.settings import DEFAULT_ATTEMPTS, DEFAULT_TIMEOUT, Settings
from m1nd_fleet.worker import DONE, PRESENT

#: Exit codes.
OK, SOME_FAILED, USAGE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    options = build_parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except BrokenPipeError:
        # The reader has enough. Python would complain when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (ListError, ValueError, OSError) as error:
        print(f"m1nd_fleet: {error}", file=sys.stderr)
        return USAGE
    return code


def build_parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(prog="python -m m1nd_fleet", description=__doc__)
    commands = parser.add_subparsers(required=True)

    run = commands.add_parser("run", help="bring the tables of all repositories up to date")
    run.add_argument("list", type=Path, help="CSV file (location, name, team, revision), or one location a line")
    run.add_argument("--output", required=True, help="folder of the tables, which all workers reach")
    run.add_argument("--master", default="", help="cluster, such as local[2] [default: that of spark-submit]")
    run.add_argument("--engine", choices=["spark", "sail", "local"], default="spark")
    run.add_argument("--binary", default=shutil.which("m1nd") or "m1nd", help="the m1nd program on the workers")
    run.add_argument("--cache", default="", help="M1ND_HOME of the workers [default: a temporary one per repository]")
    run.add_argument("--clones", default="", help="folder for clones on the workers [default: a temporary one]")
    run.add_argument("--timeout", type=float, default=DEFAULT_TIMEOUT, help="seconds for each step of a repository")
    run.add_argument("--attempts", type=int, default=DEFAULT_ATTEMPTS, help="how often a repository is tried")
    run.add_argument("--force", action="store_true", help="run repositories whose commit and version are there, too")
    run.set_defaults(run=run_command)

    ask = commands.add_parser("ask", help="answer a question")
    ask.add_argument("query", choices=list_queries())
    ask.add_argument("--output", required=True, help="folder of the tables")
    ask.add_argument("--engine", choices=["duckdb", "datafusion", "spark", "sail"], default="duckdb")
    ask.add_argument("--format", choices=["csv", "json"], default="csv")
    for name in PARAMETERS:
        ask.add_argument(f"--{name}", help="only this one; % stands for any text")
    ask.set_defaults(run=ask_command)

    show = commands.add_parser("queries", help="print the SQL of a question, with its parameters")
    show.add_argument("query", choices=list_queries(), nargs="?")
    show.set_defaults(run=show_command)

    prune = commands.add_parser("prune", help="remove the tables of outdated states")
    prune.add_argument("--output", required=True, help="folder of the tables")
    prune.set_defaults(run=prune_command)
    return parser


def run_command(options: argparse.Namespace) -> int:
    """`run`."""
    repositories = read_list(options.list)
    output = Path(options.output).resolve()
    output.mkdir(parents=True, exist_ok=True)
    settings = Settings(
        output=str(output),
        binary=options.binary,
        home=options.cache and str(Path(options.cache).resolve()),
        work=options.clones and str(Path(options.clones).resolve()),
        timeout=options.timeout,
        attempts=options.attempts,
        force=options.force,
    )
    with open_pool(options.engine, options.master) as pool:
        report = run_fleet(pool, repositories, settings)
    for row in report.failures:
        print(f"{row['repository']}: {row['step']}: {row['reason']}", file=sys.stderr)
    for stage in ("index", "link"):
        done, present = report.count(stage, DONE), report.count(stage, PRESENT)
        print(f"{stage}: {done} done, {present} already there", file=sys.stderr)
    print(f"failed: {len(report.failures)}", file=sys.stderr)
    return SOME_FAILED if report.failures else OK


@contextmanager
def open_pool(name: str, master: str = "") -> Iterator[Pool]:
    """Where the work runs."""
    if name == "local":
        yield LocalPool()
    else:
        with open_sail() if name == "sail" else open_spark(master) as spark:
            yield SparkPool(spark)


def ask_command(options: argparse.Namespace) -> int:
    """`ask`."""
    parameters = {name: value for name in PARAMETERS if (value := getattr(options, name)) is not None}
    with open_engine(options.engine) as engine:
        engine.register(str(Path(options.output).resolve()))
        rows = engine.query(read_query(options.query), parameters)
    if options.format == "json":
        print(json.dumps(rows, indent=1))
    else:
        _print_csv(rows)
    return OK


@contextmanager
def open_engine(name: str) -> Iterator[Engine]:
    """An engine in this process."""
    if name == "duckdb":
        yield DuckEngine()
    elif name == "datafusion":
        yield DataFusionEngine()
    else:
        with open_sail() if name == "sail" else open_spark("local[*]") as spark:
            yield SparkEngine(spark)


def _print_csv(rows: list[dict[str, Any]]) -> None:
    if rows:
        writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def show_command(options: argparse.Namespace) -> int:
    """`queries`."""
    if options.query is None:
        print("\n".join(list_queries()))
    else:
        print(f"CREATE OR REPLACE VIEW ask AS {build_parameters({})};\n{read_query(options.query)}", end="")
    return OK


def prune_command(options: argparse.Namespace) -> int:
    """`prune`."""
    output = Path(options.output)
    kept = set()
    for row in tables.read_rows(output / "current" / tables.FILE):
        kept |= {(tables.escape(row["repository"]), tables.escape(state)) for state in (row["commit"], row["links"])}
    removed = 0
    for table in tables.EXPORTED:
        for folder in (output / table).glob("repository=*/commit=*"):
            names = (folder.parent.name.partition("=")[2], folder.name.partition("=")[2])
            if names not in kept:
                # A reader that lists the folder meanwhile finds either all files of a state or none.
                with tempfile.TemporaryDirectory(dir=output, prefix=".pruned-") as aside:
                    folder.rename(Path(aside) / "state")
                removed += 1
    print(f"removed {removed} partitions", file=sys.stderr)
    return OK
