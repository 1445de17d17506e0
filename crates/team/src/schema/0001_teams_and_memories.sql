-- Teams, their members and their memories. Rows of memories, changes and approvals are only ever added: members have no
-- right to update or delete, so nothing that was stored can be lost by a client.

CREATE SCHEMA m1nd;

CREATE TABLE m1nd.migration (
    number integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE m1nd.team (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
    -- Whether `pull` takes memories of others only after somebody approved them.
    needs_approval boolean NOT NULL DEFAULT true
);

-- A member is a login of the server. 1 reads, 2 also writes, 3 also approves.
CREATE TABLE m1nd.member (
    team bigint NOT NULL REFERENCES m1nd.team,
    login name NOT NULL,
    level smallint NOT NULL CHECK (level BETWEEN 1 AND 3),
    PRIMARY KEY (team, login)
);

CREATE TABLE m1nd.memory (
    team bigint NOT NULL REFERENCES m1nd.team,
    -- Hash of repository, kind and words: the same memory has the same id, whoever sends it.
    id bytea NOT NULL CHECK (octet_length(id) = 32),
    repository text NOT NULL CHECK (octet_length(repository) BETWEEN 1 AND 256),
    kind text NOT NULL CHECK (kind IN ('decision', 'issue', 'learning', 'edge', 'fix')),
    -- The issue that a fix is about.
    about bytea CHECK (octet_length(about) = 32),
    title text NOT NULL CHECK (octet_length(title) BETWEEN 1 AND 1024),
    -- One line of Markdown, as it stands in `MEMORY.md`.
    line text NOT NULL CHECK (octet_length(line) BETWEEN 1 AND 8192 AND line !~ '[\n\r]'),
    reason text NOT NULL DEFAULT '' CHECK (octet_length(reason) <= 8192),
    -- The words that a search finds it by.
    words text NOT NULL DEFAULT '' CHECK (octet_length(words) <= 16384),
    -- The day it was written, if its text says.
    day date,
    author name NOT NULL DEFAULT session_user,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, id)
);
CREATE INDEX memory_of_repository ON m1nd.memory (team, repository, id);

-- Each removal and each return of a memory is a row. It is there if its largest generation is odd. The first is the
-- memory itself, and has no row.
CREATE TABLE m1nd.change (
    team bigint NOT NULL,
    memory bytea NOT NULL,
    generation integer NOT NULL CHECK (generation BETWEEN 2 AND 10000),
    author name NOT NULL DEFAULT session_user,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, memory, generation),
    FOREIGN KEY (team, memory) REFERENCES m1nd.memory
);

CREATE TABLE m1nd.approval (
    team bigint NOT NULL,
    memory bytea NOT NULL,
    approver name NOT NULL DEFAULT session_user,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team, memory, approver),
    FOREIGN KEY (team, memory) REFERENCES m1nd.memory
);

-- The teams in which the login of this session has at least a level. `session_user` and not `current_user`: `SET ROLE`
-- must not make another member of somebody, and inside of this function `current_user` is its owner.
CREATE FUNCTION m1nd.teams_with(min_level smallint) RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS $$ SELECT team FROM m1nd.member WHERE login = session_user AND level >= min_level $$;
REVOKE ALL ON FUNCTION m1nd.teams_with(smallint) FROM PUBLIC;

ALTER TABLE m1nd.team ENABLE ROW LEVEL SECURITY;
ALTER TABLE m1nd.member ENABLE ROW LEVEL SECURITY;
ALTER TABLE m1nd.memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE m1nd.change ENABLE ROW LEVEL SECURITY;
ALTER TABLE m1nd.approval ENABLE ROW LEVEL SECURITY;

CREATE POLICY read ON m1nd.team FOR SELECT USING (id = ANY (ARRAY(SELECT m1nd.teams_with(1::smallint))));
CREATE POLICY read ON m1nd.member FOR SELECT USING (team = ANY (ARRAY(SELECT m1nd.teams_with(1::smallint))));
CREATE POLICY read ON m1nd.memory FOR SELECT USING (team = ANY (ARRAY(SELECT m1nd.teams_with(1::smallint))));
CREATE POLICY read ON m1nd.change FOR SELECT USING (team = ANY (ARRAY(SELECT m1nd.teams_with(1::smallint))));
CREATE POLICY read ON m1nd.approval FOR SELECT USING (team = ANY (ARRAY(SELECT m1nd.teams_with(1::smallint))));

CREATE POLICY add ON m1nd.memory FOR INSERT
    WITH CHECK (author = session_user AND team = ANY (ARRAY(SELECT m1nd.teams_with(2::smallint))));
CREATE POLICY add ON m1nd.change FOR INSERT
    WITH CHECK (author = session_user AND team = ANY (ARRAY(SELECT m1nd.teams_with(2::smallint))));
-- Nobody approves what they wrote.
CREATE POLICY add ON m1nd.approval FOR INSERT
    WITH CHECK (
        approver = session_user AND team = ANY (ARRAY(SELECT m1nd.teams_with(3::smallint)))
        AND (SELECT author FROM m1nd.memory WHERE memory.team = approval.team AND memory.id = approval.memory)
            <> session_user
    );
