-- One row: which snapshot the files below belong to. `sum` is the exclusive or of the sums of all files.
CREATE TABLE state (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    generation INTEGER NOT NULL,
    files      INTEGER NOT NULL,
    sum        BLOB NOT NULL
) STRICT;

-- `problems` is a postcard of them; `sum` is a checksum of the other columns.
CREATE TABLE files (
    root     INTEGER NOT NULL,
    path     TEXT NOT NULL,
    size     INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ino      INTEGER NOT NULL,
    hash     BLOB NOT NULL,
    problems BLOB NOT NULL,
    sum      BLOB NOT NULL,
    PRIMARY KEY (root, path)
) STRICT, WITHOUT ROWID;
