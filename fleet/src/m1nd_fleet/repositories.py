"""The list of repositories: a text file, or a CSV file with teams."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

#: Schemes that mark a git address; everything else is a path.
_SCHEMES = ("https://", "http://", "ssh://", "git://", "file://", "git@")
#: Team of a repository whose list names none.
NO_TEAM = ""


class ListError(ValueError):
    """The list of repositories cannot be used."""


@dataclass(frozen=True)
class Repository:
    """A repository of the fleet."""

    name: str
    """Name in the tables, unique in the fleet."""
    location: str
    """Path of a clone, or a git address."""
    team: str = NO_TEAM
    """Team that owns it."""
    revision: str = ""
    """Branch, tag or commit to clone; the default branch if empty. Paths are taken as they are."""

    @property
    def is_address(self) -> bool:
        """Whether it has to be cloned."""
        return self.location.startswith(_SCHEMES)


def name_of(location: str) -> str:
    """Owner and name of an address, or the name of a folder."""
    text = location.rstrip("/").removesuffix(".git")
    parts = [part for part in text.replace(":", "/").split("/") if part]
    if not parts:
        raise ListError(f"`{location}` has no name")
    wanted = 2 if location.startswith(_SCHEMES) and len(parts) > 2 else 1
    return "/".join(parts[-wanted:])


def read_list(path: Path) -> list[Repository]:
    """Reads a list: CSV with a header (`location`, optional `name`, `team`, `revision`), or one location a line."""
    text = path.read_text(encoding="utf-8")
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if lines and "location" in lines[0].split(","):
        rows = [_from_row(row) for row in csv.DictReader(lines)]
    else:
        rows = [Repository(name_of(line), line) for line in lines]
    check_names(rows)
    return rows


def _from_row(row: dict[str, str]) -> Repository:
    location = (row.get("location") or "").strip()
    name = (row.get("name") or "").strip() or name_of(location)
    return Repository(name, location, (row.get("team") or "").strip(), (row.get("revision") or "").strip())


def check_names(repositories: list[Repository]) -> None:
    """Refuses lists in which two repositories have one name: their rows would be mixed."""
    seen: dict[str, str] = {}
    for repository in repositories:
        other = seen.setdefault(repository.name, repository.location)
        if other != repository.location:
            raise ListError(
                f"`{repository.name}` names both {other} and {repository.location}; give them names in a CSV list"
            )
    if len(seen) != len(repositories):
        raise ListError("a repository is listed twice")
