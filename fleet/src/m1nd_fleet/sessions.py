"""Sessions of Spark and of Sail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: How often Spark runs a task again whose worker is lost.
_MAX_TASK_FAILURES = 4


@contextmanager
def open_spark(master: str = "", partitions: int = 8) -> Iterator[SparkSession]:
    """A session on a cluster, or in this process (`local[2]`). The environment's cluster if `master` is empty."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("m1nd-fleet")
    if master:
        builder = builder.master(master)
    session = (
        builder.config("spark.task.maxFailures", str(_MAX_TASK_FAILURES))
        .config("spark.sql.shuffle.partitions", str(partitions))
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def open_sail() -> Iterator[SparkSession]:
    """A session of Sail, in this process, behind Spark Connect."""
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer()
    server.start()
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
    try:
        yield session
    finally:
        session.stop()
        server.stop()
