-- What agents told of answers. Only ever added to: taking something back is a row of its own.
CREATE TABLE feedback (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms    INTEGER NOT NULL,
    agent    TEXT NOT NULL,
    -- correct, wrong, partial or undo
    kind     TEXT NOT NULL,
    query    TEXT NOT NULL,
    strength REAL NOT NULL,
    -- The row that an undo takes back; no row is taken back twice.
    undoes   INTEGER UNIQUE REFERENCES feedback (id),
    -- Given by the agent so that a repeated call is told only once.
    key      TEXT,
    UNIQUE (agent, key)
) STRICT;

CREATE TABLE feedback_nodes (
    feedback INTEGER NOT NULL REFERENCES feedback (id),
    position INTEGER NOT NULL,
    node     TEXT NOT NULL,
    PRIMARY KEY (feedback, position)
) STRICT, WITHOUT ROWID;
