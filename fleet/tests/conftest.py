"""Small repositories with commits, a session of Spark, and one run over them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from m1nd_fleet.fleet import Report, run_fleet
from m1nd_fleet.pools import SparkPool
from m1nd_fleet.repositories import Repository
from m1nd_fleet.sessions import open_spark
from m1nd_fleet.settings import Settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)

COPIED = '''

def normalise(text, width):
    """Long enough to be compared."""
    words = [word.strip().lower() for word in text.split() if word.strip()]
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) + 1 > width:
            lines.append(line)
            line = ""
        line = f"{line} {word}" if line else word
    lines.append(line)
    return lines
'''

REPOSITORIES: dict[str, dict[str, str]] = {
    "greet": {
        "pyproject.toml": '[project]\nname = "greet"\nversion = "1.2"\n',
        "greet/__init__.py": "from greet.words import Greeter, hello, unused\n",
        "greet/words.py": (
            "def hello(name):\n    return Greeter().say(name)\n\n\ndef unused():\n    return 1\n\n\n"
            "class Greeter:\n    def say(self, name):\n        return name\n" + COPIED
        ),
        ".mind/MEMORY.md": "# Memory\n\n## Gotchas\n- `hello` must not be called at import: it blocks\n",
    },
    "desk": {
        "pyproject.toml": '[project]\nname = "desk"\ndependencies = ["greet>=1", "requests==2.31"]\n',
        "desk.py": (
            "import requests\nfrom greet import Greeter, hello\n\n\ndef welcome(name):\n    return hello(name)\n\n\n"
            "def twice(name):\n    greeter = Greeter()\n    return greeter.say(name) + greeter.say(name)\n\n\n"
            "def load():\n    return requests.get('https://example.com').json()\n"
        ),
        "settings.py": 'password = "hV7kQ2x9LpR4tZ8w"\n',
    },
    "shell": {
        "pyproject.toml": '[project]\nname = "shell"\ndependencies = ["greet==1.2", "requests==2.32"]\n',
        "shell.py": "import greet\n\n\ndef main():\n    print(greet.hello('x'))\n"
        + COPIED.replace("normalise", "wrap"),
    },
    # Not required: the same name is not a use of the package.
    "other": {
        "pyproject.toml": '[project]\nname = "other"\ndependencies = []\n',
        "other.py": "from greet import hello\n\n\ndef run():\n    return hello('x')\n",
    },
}

TEAMS = {"greet": "words", "desk": "front", "shell": "front", "other": "back"}


def git(folder: Path, *arguments: str) -> str:
    """Runs git in a folder, as somebody."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write_repository(folder: Path, files: dict[str, str]) -> Path:
    """Writes files and commits them."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=change")
    return folder


@pytest.fixture(scope="session")
def binary() -> str:
    """The program under test."""
    found = os.environ.get("M1ND_BINARY") or shutil.which("m1nd")
    if not found:
        pytest.skip("needs the m1nd program: set M1ND_BINARY")
    return str(Path(found).resolve())


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Spark in this process, with two workers."""
    with open_spark("local[2]", partitions=2) as session:
        yield session


@pytest.fixture(scope="session")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> list[Repository]:
    """The repositories: three by path, one by address."""
    root = tmp_path_factory.mktemp("repositories")
    rows = []
    for name, files in REPOSITORIES.items():
        folder = write_repository(root / name, files)
        location = f"file://{folder}" if name == "greet" else str(folder)
        rows.append(Repository(f"acme/{name}", location, TEAMS[name]))
    return rows


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory, binary: str) -> Settings:
    """Settings with a shared cache."""
    root = tmp_path_factory.mktemp("fleet")
    return Settings(
        output=str(root / "tables"),
        binary=binary,
        home=str(root / "home"),
        work=str(root / "clones"),
        timeout=120.0,
    )


@pytest.fixture(scope="session")
def report(spark: SparkSession, repositories: list[Repository], settings: Settings) -> Report:
    """A run over all repositories and one that does not exist."""
    missing = Repository("acme/missing", "/nowhere/missing", "back")
    return run_fleet(SparkPool(spark), [*repositories, missing], settings)
