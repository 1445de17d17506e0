"""The tables that `m1nd export --format parquet` writes, and those of the fleet itself.

`docs/export.md` of m1nd documents the columns. Here they serve to stand in for a table without files.
"""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

#: Version of the tables this package reads.
FORMAT_VERSION = 1
#: Name of the file in a partition.
FILE = "part-0.parquet"

_STRING, _INT, _LONG, _FLAG = "STRING", "INT", "BIGINT", "BOOLEAN"


def _columns(text: str) -> dict[str, str]:
    """Columns from words: `name` is a text, `name:i` a number, `name:l` a long, `name:b` a flag."""
    types = {"": _STRING, "i": _INT, "l": _LONG, "b": _FLAG}
    pairs = (word.partition(":") for word in text.split())
    return {name: types[kind] for name, _, kind in pairs}


#: Columns of the exported tables, without lists.
EXPORTED: dict[str, dict[str, str]] = {
    "nodes": _columns(
        "id kind name file line:i start_line:i end_line:i parent is_exported:b is_test:b is_entry:b flags signature doc"
    ),
    "edges": _columns(
        "source target relation tier candidates:i is_dispatch:b provenance source_file source_line:i source_name "
        "source_kind target_file target_line:i target_name target_kind"
    ),
    "external_uses": _columns(
        "source source_file source_line:i source_name source_kind relation ecosystem package member dependency "
        "requirement version"
    ),
    "files": _columns(
        "path language lines:i bytes:l hash is_test:b certain:l possible:l external:l unresolved:l problems:i"
    ),
    "dependencies": _columns("ecosystem name import_name scope requirement version manifest"),
    "provides": _columns("ecosystem name import_name version manifest"),
    "bodies": _columns("id name file line:i language is_test:b tokens:i exact shape"),
    "secrets": _columns("file line:i kind is_test:b"),
    "memories": _columns("kind title content reasoning status date file line:i"),
    "cross_edges": _columns(
        "source_repository source source_file source_line:i source_name source_kind relation tier candidates:i "
        "is_dispatch:b target_repository target target_file target_line:i target_name target_kind"
    ),
    "exports": _columns("format_version:i generator files:l lines:l nodes:l edges:l"),
}

#: The state of each repository that questions are about.
CURRENT = pa.schema(
    [("repository", pa.string()), ("commit", pa.string()), ("team", pa.string()), ("links", pa.string())]
)

#: One row for each repository of a run.
RUNS = pa.schema(
    [
        ("repository", pa.string()),
        ("team", pa.string()),
        ("stage", pa.string()),
        ("status", pa.string()),
        ("commit", pa.string()),
        ("step", pa.string()),
        ("reason", pa.string()),
        ("attempts", pa.int32()),
        ("seconds", pa.float64()),
        ("cpu_seconds", pa.float64()),
        ("worker", pa.string()),
    ]
)

#: The same for Spark.
RUNS_SQL = (
    "repository string, team string, stage string, status string, commit string, step string, reason string, "
    "attempts int, seconds double, cpu_seconds double, worker string"
)

_SAFE = re.compile(r"[A-Za-z0-9._/-]+")


def escape(value: str) -> str:
    """A value as it stands in the name of a partition's folder, like Hive's."""
    return "".join(
        char if char.isascii() and (char.isalnum() or char in "-_.") else "".join(f"%{b:02X}" for b in char.encode())
        for char in value
    )


def is_safe_name(name: str) -> bool:
    """Whether a name of a repository can be compared in all engines: letters, digits, `.`, `_`, `-` and `/`."""
    return _SAFE.fullmatch(name) is not None


def partition(output: str, table: str, repository: str, commit: str) -> Path:
    """The file of a table of one state of a repository."""
    return Path(output) / table / f"repository={escape(repository)}" / f"commit={escape(commit)}" / FILE


def is_complete(output: str, repository: str, commit: str, generator: str) -> bool:
    """Whether this version of m1nd has exported this commit completely."""
    path = partition(output, "exports", repository, commit)
    try:
        metadata = pq.read_metadata(path).metadata or {}
    except (OSError, pa.ArrowInvalid):
        return False
    return (
        metadata.get(b"m1nd.generator") == generator.encode()
        and metadata.get(b"m1nd.format_version") == str(FORMAT_VERSION).encode()
    )


def write_rows(path: Path, schema: pa.Schema, rows: list[dict[str, Any]]) -> None:
    """Replaces a file by these rows: readers see the old or the new one."""
    write_table(path, pa.Table.from_pylist(rows, schema=schema))


def write_table(path: Path, table: pa.Table) -> None:
    """Replaces a file by a table: readers see the old or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        pq.write_table(table, part, compression="zstd")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file; none if it is missing."""
    if not path.is_file():
        return []
    rows: list[dict[str, Any]] = pq.ParquetFile(path).read().to_pylist()
    return rows
