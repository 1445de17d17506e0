"""Workers that die: Spark runs their tasks again, and the tables are those of a run without a death."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from m1nd_fleet.repositories import Repository
from m1nd_fleet.settings import Settings

#: Kills the executor above the first process that exports, once.
KILLER = """#!/bin/sh
if [ "$1" = export ] && mkdir {marker} 2>/dev/null; then
    process=$$
    while [ "$process" -gt 1 ]; do
        process=$(awk '/^PPid:/ {{print $2}}' /proc/$process/status)
        if tr '\\0' ' ' < /proc/$process/cmdline | grep -q CoarseGrainedExecutorBackend; then
            echo "$process" > {marker}/killed
            kill -9 "$process"
            sleep 5
        fi
    done
fi
exec {binary} "$@"
"""

JOB = """
import sys
from m1nd_fleet.cli import main
raise SystemExit(main(sys.argv[1:]))
"""


def list_files(folder: Path) -> dict[str, bytes]:
    tables = ("nodes", "edges", "external_uses", "provides", "cross_edges", "current")
    paths = (path for table in tables for path in (folder / table).rglob("*.parquet"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_a_killed_worker_loses_nothing(settings: Settings, repositories: list[Repository], tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    program = tmp_path / "program"
    program.write_text(KILLER.format(marker=marker, binary=settings.binary), encoding="utf-8")
    program.chmod(0o755)
    listed = tmp_path / "list.csv"
    rows = [f"{row.location},{row.name},{row.team}" for row in repositories]
    listed.write_text("\n".join(["location,name,team", *rows]), encoding="utf-8")
    outputs = []
    for master, binary in (("local-cluster[2,1,1024]", str(program)), ("local[1]", settings.binary)):
        output = tmp_path / f"tables-{len(outputs)}"
        options = ["--output", str(output), "--master", master, "--binary", binary, "--cache", str(tmp_path / "home")]
        environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
        run = subprocess.run(
            [sys.executable, "-c", JOB, "run", str(listed), *options], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr[-3000:]
        outputs.append(list_files(output))
    assert (marker / "killed").is_file(), "no executor was killed"
    assert outputs[0].keys() == outputs[1].keys()
    assert outputs[0] == outputs[1]
