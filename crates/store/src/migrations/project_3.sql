-- What agents hold between calls, each under an id that nobody can guess.
CREATE TABLE handles (
    id          TEXT NOT NULL PRIMARY KEY,
    kind        TEXT NOT NULL,
    -- The agent that made it.
    owner       TEXT NOT NULL,
    created_ms  INTEGER NOT NULL,
    changed_ms  INTEGER NOT NULL,
    -- Time from the last change to its end; NULL if it has none.
    lifetime_ms INTEGER,
    expires_ms  INTEGER,
    -- Goes up with each change of the value.
    version     INTEGER NOT NULL,
    -- Size of the value; here, so that sums need not read values.
    bytes       INTEGER NOT NULL,
    -- JSON; empty once it has expired.
    value       TEXT NOT NULL
) STRICT;

CREATE INDEX handles_of_owners ON handles (owner, kind, expires_ms, bytes);
CREATE INDEX handles_by_end ON handles (expires_ms) WHERE expires_ms IS NOT NULL;
