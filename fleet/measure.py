"""Runs a fleet cold in one process, with one worker of Spark and with two, and compares the tables and the times.

    python fleet/measure.py LIST --binary target/release/m1nd

Also compares the calls of each user with those in a federation of it and what it uses.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

from m1nd_fleet import tables
from m1nd_fleet.cli import open_pool
from m1nd_fleet.fleet import Report, run_fleet
from m1nd_fleet.processes import run_step
from m1nd_fleet.repositories import read_list
from m1nd_fleet.settings import Settings

#: Seconds that one command may take.
TIMEOUT = 1800.0
#: The runs: name, engine, master.
RUNS = {
    "one process": ("local", ""),
    "Spark, 1 worker": ("spark", "local[1]"),
    "Spark, 2 workers": ("spark", "local[2]"),
    "Sail": ("sail", ""),
}


def list_files(output: Path) -> dict[str, bytes]:
    """All tables that must not depend on how they came to be."""
    names = [*tables.EXPORTED, "current"]
    return {str(path): (output / path).read_bytes() for path in _paths(output, names)}


def _paths(output: Path, names: list[str]) -> list[Path]:
    return sorted(path.relative_to(output) for name in names for path in (output / name).rglob("*.parquet"))


def run_once(name: str, options: argparse.Namespace, root: Path) -> tuple[Path, Report]:
    """A cold run: fresh cache, fresh tables."""
    engine, master = RUNS[name]
    output = root / name.replace(" ", "-").replace(",", "")
    output.mkdir()
    settings = Settings(str(output), options.binary, home=f"{output}-home", work=f"{output}-clones")
    with open_pool(engine, master) as pool:
        pool.run([], settings, lambda _item, _settings: {})
        start = time.monotonic()
        report = run_fleet(pool, read_list(options.list), settings)
        seconds = time.monotonic() - start
    # CPU of the programs, by the workers' own count.
    cpu = sum(row["cpu_seconds"] for row in report.rows)
    stages = {
        stage: sum(row["cpu_seconds"] for row in report.rows if row["stage"] == stage) for stage in ("index", "link")
    }
    size = sum(path.stat().st_size for path in output.rglob("*.parquet"))
    workers = len({row["worker"] for row in report.rows})
    print(
        f"{name}: {seconds:.1f} s, CPU {cpu:.1f} s (index {stages['index']:.1f}, link {stages['link']:.1f}), "
        f"{workers} processes, {len(report.failures)} failed, {size / 1e6:.1f} MB of tables",
        flush=True,
    )
    return output, report


def compare_links(output: Path, options: argparse.Namespace) -> bool:
    """Compares the calls of each user with those in a federation of it and what it uses, and shows them by pair."""
    rows = tables.read_rows(output / "current" / tables.FILE)
    folders = {repository.name: repository.location for repository in read_list(options.list)}
    same = True
    for row in (row for row in rows if row["links"]):
        name = row["repository"]
        edges = pq.ParquetFile(tables.partition(str(output), "cross_edges", name, row["links"])).read().to_pylist()
        used = sorted({edge["target_repository"] for edge in edges})
        expected = federate(folders[name], {other: folders[other] for other in used}, options.binary, f"{output}-home")
        found = {
            (edge["target_repository"], edge["source"], edge["target"], edge["tier"], tuple(edge["lines"]))
            for edge in edges
            if edge["relation"] == "calls"
        }
        same &= found == expected
        for other in used:
            tiers = [call[3] for call in found if call[0] == other]
            certain = tiers.count("certain")
            print(f"  {name} -> {other}: {certain} certain, {len(tiers) - certain} possible calls")
        if found != expected:
            print(f"    differ: {len(found - expected)} more, {len(expected - found)} fewer", flush=True)
    return same


def federate(
    user: str, used: dict[str, str], binary: str, home: str
) -> set[tuple[str, str, str, str, tuple[int, ...]]]:
    """The calls from a repository into others, by the rows of `m1nd export` over a federation of them."""
    environment = {"M1ND_HOME": home}
    aliases = {f"used{number}": name for number, name in enumerate(used)}
    members = {"user": user, **{alias: used[name] for alias, name in aliases.items()}}
    found = set()
    with tempfile.TemporaryDirectory() as folder:
        for alias, path in members.items():
            command = [binary, "workspace", "add", path, "--name", alias]
            run_step("workspace", command, TIMEOUT, cwd=Path(folder), environment=environment)
        command = [binary, "export", folder, "--quiet", "--relation", "calls"]
        for line in run_step("export", command, TIMEOUT, environment=environment).splitlines():
            edge = json.loads(line)
            source, _, source_id = edge["from"].partition("::")
            target, _, target_id = edge["to"].partition("::")
            if source == "user" and target in aliases:
                lines = tuple(line for line, _ in edge["sites"])
                found.add((aliases[target], source_id, target_id, edge["tier"], lines))
    return found


def main() -> int:
    """Runs all and says whether they agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", type=Path)
    parser.add_argument("--binary", default="m1nd")
    parser.add_argument("--runs", nargs="+", choices=list(RUNS), default=["one process", *list(RUNS)[1:3]])
    options = parser.parse_args()
    options.binary = str(Path(options.binary).resolve())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory(prefix="m1nd-fleet-measure-") as root:
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
        first: dict[str, bytes] | None = None
        same = True
        for name in options.runs:
            output, _ = run_once(name, options, Path(root))
            files = list_files(output)
            if first is None:
                first = files
                print("links and federations agree" if compare_links(output, options) else "LINKS DIFFER")
            elif files != first:
                same = False
                different = [key for key in files.keys() | first.keys() if files.get(key) != first.get(key)]
                print(f"  different: {len(different)}, such as {min(different)}")
        print("all tables are equal" if same else "TABLES DIFFER")
        print(f"peak of children: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
