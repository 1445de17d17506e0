"""Sail as second engine: a whole run, and the rows of the queries.

It needs a client of Spark Connect that is older than the Spark of the other tests, so it runs in the Python that
M1ND_FLEET_SAIL_PYTHON names.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from m1nd_fleet.engines import DuckEngine, list_queries, read_query
from m1nd_fleet.repositories import Repository
from m1nd_fleet.settings import Settings

#: Runs the fleet, then prints the rows of all queries.
PROGRAM = """
import json, sys
from m1nd_fleet.cli import main
from m1nd_fleet.engines import SparkEngine, list_queries, read_query
from m1nd_fleet.sessions import open_sail

output, *arguments = sys.argv[1:]
if main(["run", *arguments, "--output", output, "--engine", "sail"]):
    raise SystemExit("the run failed")
with open_sail() as session:
    engine = SparkEngine(session)
    engine.register(output)
    print(json.dumps({name: engine.query(read_query(name)) for name in list_queries()}))
"""


def test_sail_gives_the_same_rows(settings: Settings, repositories: list[Repository], tmp_path: Path) -> None:
    python = os.environ.get("M1ND_FLEET_SAIL_PYTHON")
    if not python:
        pytest.skip("set M1ND_FLEET_SAIL_PYTHON to a Python with pysail and pyspark-client")
    listed = tmp_path / "list.csv"
    rows = [f"{row.location},{row.name},{row.team}" for row in repositories]
    listed.write_text("\n".join(["location,name,team", *rows]), encoding="utf-8")
    output = tmp_path / "tables"
    arguments = [str(output), str(listed), "--binary", settings.binary, "--cache", settings.home]
    source = Path(__file__).parent.parent / "src"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    run = subprocess.run([python, "-c", PROGRAM, *arguments], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    found = json.loads(run.stdout.splitlines()[-1])
    engine = DuckEngine()
    engine.register(str(output))
    for query in list_queries():
        assert sort_rows(found[query]) == sort_rows(engine.query(read_query(query))), query
    assert found["callers"]


def sort_rows(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)
