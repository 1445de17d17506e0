"""The worked queries: the same rows from Spark, DuckDB and DataFusion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from m1nd_fleet.engines import (
    DataFusionEngine,
    DuckEngine,
    Engine,
    SparkEngine,
    build_parameters,
    list_queries,
    read_query,
)
from m1nd_fleet.fleet import Report
from m1nd_fleet.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]

#: Some columns of the rows that each query finds in the small repositories.
EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "ambiguous_packages": [],
    "api_change": [
        ("file::greet/words.py::fn::hello", 2),
        ("file::greet/words.py::class::Greeter", 1),
        ("file::greet/words.py::class::Greeter::fn::say", 1),
    ],
    "clones": [("acme/greet", "normalise"), ("acme/shell", "wrap")],
    "dead_exports": [("acme/greet", "unused"), ("acme/greet", "normalise")],
    "dependents": [("acme/greet", "acme/desk"), ("acme/greet", "acme/shell")],
    "gotchas": [("words", "acme/greet", "edge")],
    "outside_packages": [("requests", 1)],
    "renamed_clones": [],
    "secrets": [("front", "acme/desk", "settings.py")],
    "version_conflicts": [("requests", 2, "2.31", "2.32")],
    "versions": [
        ("greet", "1.2", "acme/shell"),
        ("greet", None, "acme/desk"),
        ("requests", "2.31", "acme/desk"),
        ("requests", "2.32", "acme/shell"),
    ],
}
COLUMNS: dict[str, tuple[str, ...]] = {
    "api_change": ("target", "repositories"),
    "clones": ("repository", "name"),
    "dead_exports": ("repository", "name"),
    "dependents": ("target_repository", "repository"),
    "gotchas": ("team", "repository", "kind"),
    "outside_packages": ("package", "repositories"),
    "secrets": ("team", "repository", "file"),
    "version_conflicts": ("name", "versions", "first_version", "last_version"),
    "versions": ("name", "version", "repository"),
}


def sort_rows(rows: list[Row]) -> list[str]:
    """Rows in an order that does not depend on where an engine puts nulls."""
    return sorted(repr(sorted(row.items())) for row in rows)


@pytest.fixture(scope="module")
def engines(spark: SparkSession, report: Report, settings: Settings) -> dict[str, Engine]:
    found: dict[str, Engine] = {"spark": SparkEngine(spark), "duckdb": DuckEngine(), "datafusion": DataFusionEngine()}
    for engine in found.values():
        engine.register(settings.output)
    return found


def test_there_are_ten_queries() -> None:
    assert len(list_queries()) >= 10


@pytest.mark.parametrize("query", list_queries())
def test_engines_agree(engines: dict[str, Engine], query: str) -> None:
    answers = {name: sort_rows(engine.query(read_query(query))) for name, engine in engines.items()}
    assert answers["duckdb"] == answers["spark"]
    assert answers["datafusion"] == answers["spark"]


@pytest.mark.parametrize("query", sorted(EXPECTED))
def test_answers(engines: dict[str, Engine], query: str) -> None:
    rows = engines["duckdb"].query(read_query(query))
    found = [tuple(row[column] for column in COLUMNS.get(query, ())) for row in rows]
    assert sorted(found, key=repr) == sorted(EXPECTED[query], key=repr)


def test_parameters_are_texts(engines: dict[str, Engine]) -> None:
    hostile = {"name": "'; DROP VIEW nodes; --"}
    for engine in engines.values():
        assert engine.query(read_query("callers"), hostile) == []
        assert engine.query("SELECT COUNT(*) AS count FROM nodes")[0]["count"] > 0
    with pytest.raises(ValueError, match="unknown parameter"):
        build_parameters({"nothing": "x"})
