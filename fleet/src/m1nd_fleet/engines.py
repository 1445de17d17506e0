"""Engines that answer the queries: Spark, Sail, DuckDB and DataFusion, each over the same views.

Every exported table becomes a view with the rows of the current state of each repository, and the columns
`repository`, `commit` and `team` in front. The queries are plain SQL that all of them accept.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from m1nd_fleet.tables import EXPORTED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]

#: Parameters of the queries, with what they match if they are not given.
PARAMETERS: dict[str, str] = {"repository": "%", "package": "%", "name": "%", "team": "%"}
#: Queries that serve the job and not people.
_INTERNAL = {"pairs"}
#: Table whose state is that of links.
_LINKED = "cross_edges"


class Engine(Protocol):
    """Answers SQL over the tables of a folder."""

    def register(self, output: str) -> None:
        """Makes the tables views."""

    def query(self, sql: str, parameters: Mapping[str, str] | None = None) -> list[Row]:
        """The rows of a query."""


def list_queries() -> list[str]:
    """Names of the worked queries."""
    names = (Path(item.name).stem for item in resources.files("m1nd_fleet.sql").iterdir() if item.name.endswith(".sql"))
    return sorted(set(names) - _INTERNAL)


def read_query(name: str) -> str:
    """The text of a query."""
    return (resources.files("m1nd_fleet.sql") / f"{name}.sql").read_text(encoding="utf-8")


def build_parameters(parameters: Mapping[str, str] | None) -> str:
    """The view `ask`: one row with the parameters as patterns of LIKE."""
    given = {**PARAMETERS, **(parameters or {})}
    unknown = set(given) - set(PARAMETERS)
    if unknown:
        raise ValueError(f"unknown parameter {sorted(unknown)[0]}; expected some of {', '.join(PARAMETERS)}")
    quoted = ", ".join("'{}' AS {}".format(value.replace("'", "''"), name) for name, value in given.items())
    return f"SELECT {quoted}"


def build_view(table: str) -> str:
    """The rows of a table that belong to the current states. Names are compared as they are in folders or decoded."""
    state = "links" if table == _LINKED else "commit"
    columns = ", ".join(f"t.{column}" for column in EXPORTED[table])
    return (
        f"SELECT c.repository, c.commit, c.team, {columns} FROM {table}_files AS t JOIN current AS c "
        f"ON replace(t.repository, '%2F', '/') = c.repository AND t.commit = c.{state}"
    )


def build_empty(table: str) -> str:
    """Stands in for a table that has no files."""
    columns = {**EXPORTED[table], "repository": "STRING", "commit": "STRING"}
    nulls = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in columns.items())
    return f"SELECT {nulls} WHERE 1 = 0"


def _has_files(output: str, table: str) -> bool:
    return next((Path(output) / table).glob("repository=*/commit=*/*.parquet"), None) is not None


class SparkEngine:
    """Spark, and Sail behind the interface of Spark Connect."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def register(self, output: str) -> None:
        """Makes the tables views."""
        spark = self._spark
        current = spark.read.parquet(str(Path(output) / "current"))
        current.createOrReplaceTempView("current")
        for table, columns in EXPORTED.items():
            if _has_files(output, table):
                schema = ", ".join(f"{name} {kind}" for name, kind in columns.items())
                # With the partitions' columns as texts: a commit of digits alone is not a number.
                frame = spark.read.schema(f"{schema}, repository STRING, commit STRING").parquet(
                    str(Path(output) / table)
                )
                frame.createOrReplaceTempView(f"{table}_files")
            else:
                spark.sql(build_empty(table)).createOrReplaceTempView(f"{table}_files")
            spark.sql(build_view(table)).createOrReplaceTempView(table)

    def query(self, sql: str, parameters: Mapping[str, str] | None = None) -> list[Row]:
        """The rows of a query."""
        self._spark.sql(build_parameters(parameters)).createOrReplaceTempView("ask")
        return [row.asDict() for row in self._spark.sql(sql).collect()]


class DuckEngine:
    """DuckDB, in this process."""

    def __init__(self) -> None:
        import duckdb

        self._connection = duckdb.connect()

    def register(self, output: str) -> None:
        """Makes the tables views."""
        run = self._connection.execute
        run(f"CREATE OR REPLACE VIEW current AS SELECT * FROM read_parquet('{_quote(output)}/current/*.parquet')")
        for table in EXPORTED:
            source = f"{_quote(output)}/{table}/*/*/*.parquet"
            files = f"SELECT * FROM read_parquet('{source}', hive_partitioning = true, hive_types_autocast = false)"
            run(f"CREATE OR REPLACE VIEW {table}_files AS {files if _has_files(output, table) else build_empty(table)}")
            run(f"CREATE OR REPLACE VIEW {table} AS {build_view(table)}")

    def query(self, sql: str, parameters: Mapping[str, str] | None = None) -> list[Row]:
        """The rows of a query."""
        self._connection.execute(f"CREATE OR REPLACE VIEW ask AS {build_parameters(parameters)}")
        rows: list[Row] = self._connection.sql(sql).to_arrow_table().to_pylist()
        return rows


class DataFusionEngine:
    """DataFusion, in this process."""

    def __init__(self) -> None:
        import datafusion

        self._context = datafusion.SessionContext()

    def register(self, output: str) -> None:
        """Makes the tables views."""
        import pyarrow as pa

        context = self._context
        context.register_parquet("current", f"{output}/current/")
        partitions = [("repository", pa.string()), ("commit", pa.string())]
        for table in EXPORTED:
            if _has_files(output, table):
                context.register_parquet(f"{table}_files", f"{output}/{table}/", table_partition_cols=partitions)
            else:
                context.sql(f"CREATE VIEW {table}_files AS {build_empty(table)}").collect()
            context.sql(f"CREATE VIEW {table} AS {build_view(table)}").collect()

    def query(self, sql: str, parameters: Mapping[str, str] | None = None) -> list[Row]:
        """The rows of a query."""
        self._context.sql(f"CREATE OR REPLACE VIEW ask AS {build_parameters(parameters)}").collect()
        batches = self._context.sql(sql).collect()
        return [row for batch in batches for row in batch.to_pylist()]


def _quote(text: str) -> str:
    return text.replace("'", "''")
