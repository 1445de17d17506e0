-- Roots of the project in their order. Paths are bytes: file systems do not promise text.
CREATE TABLE roots (
    position INTEGER PRIMARY KEY,
    path     BLOB NOT NULL
) STRICT;

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
