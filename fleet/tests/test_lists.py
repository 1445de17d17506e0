"""Lists of repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from m1nd_fleet.repositories import ListError, Repository, name_of, read_list


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("https://github.com/psf/requests.git", "psf/requests"),
        ("git@github.com:psf/requests.git", "psf/requests"),
        ("/srv/clones/requests/", "requests"),
    ],
)
def test_names(location: str, name: str) -> None:
    assert name_of(location) == name


def test_lines_and_tables(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text("# all\n/srv/a\n\nhttps://example.com/x/b\n", encoding="utf-8")
    assert read_list(path) == [Repository("a", "/srv/a"), Repository("x/b", "https://example.com/x/b")]
    path.write_text("team,location,name\nweb,/srv/a,\nops,/srv/a2,b\n", encoding="utf-8")
    assert read_list(path) == [Repository("a", "/srv/a", "web"), Repository("b", "/srv/a2", "ops")]


@pytest.mark.parametrize("text", ["/srv/a\n/other/a\n", "/srv/a\n/srv/a\n"])
def test_names_are_unique(tmp_path: Path, text: str) -> None:
    path = tmp_path / "list"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ListError):
        read_list(path)
