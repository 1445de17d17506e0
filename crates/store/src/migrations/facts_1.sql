-- `bytes` are compressed (LZ4, length first), `size` is the length of that; `sum` covers key, version and bytes.
-- Keys apart from the bytes: noting a use must not rewrite the bytes. `used` is the day of the last use since 1970.
CREATE TABLE keys (
    hash    BLOB NOT NULL,
    version INTEGER NOT NULL,
    id      INTEGER NOT NULL,
    size    INTEGER NOT NULL,
    used    INTEGER NOT NULL,
    PRIMARY KEY (hash, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE contents (
    id    INTEGER PRIMARY KEY,
    sum   BLOB NOT NULL,
    bytes BLOB NOT NULL
) STRICT;
