"""Where the work on repositories runs: on the workers of Spark or Sail, or in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from m1nd_fleet.engines import DuckEngine, Engine, SparkEngine
from m1nd_fleet.settings import Settings
from m1nd_fleet.tables import RUNS_SQL

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import SparkSession

Item = TypeVar("Item")
Row = dict[str, Any]


class Pool(Protocol):
    """Calls a function for many items."""

    @property
    def engine(self) -> Engine:
        """Answers the queries of the job."""

    def run(self, items: Sequence[Item], settings: Settings, work: Callable[[Item, Settings], Row]) -> list[Row]:
        """Calls `work` for each item and returns the rows in the order of the items."""


class SparkPool:
    """The workers of Spark or Sail, a task for each item.

    A task that is lost with its worker is run again by Spark; what it had written is replaced.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self.engine: Engine = SparkEngine(spark)

    def run(self, items: Sequence[Item], settings: Settings, work: Callable[[Item, Settings], Row]) -> list[Row]:
        """Calls `work` for each item and returns the rows in the order of the items."""
        if not items:
            return []
        fixed = list(items)

        def run_batch(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
            import pandas as pd

            for batch in batches:
                for position in batch["id"]:
                    row = work(fixed[int(position)], settings)
                    yield pd.DataFrame([{"position": int(position), **row}])

        frame = self._spark.range(0, len(fixed), 1, len(fixed)).mapInPandas(run_batch, f"position long, {RUNS_SQL}")
        rows = [row.asDict() for row in frame.collect()]
        rows.sort(key=lambda row: int(row["position"]))
        return [{key: value for key, value in row.items() if key != "position"} for row in rows]


class LocalPool:
    """This process, one item after the other, with DuckDB."""

    def __init__(self) -> None:
        self.engine: Engine = DuckEngine()

    def run(self, items: Sequence[Item], settings: Settings, work: Callable[[Item, Settings], Row]) -> list[Row]:
        """Calls `work` for each item and returns the rows in the order of the items."""
        return [work(item, settings) for item in items]
