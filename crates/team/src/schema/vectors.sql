-- Word vectors, on servers that have pgvector. Run again and again: the extension may be installed later.

CREATE TABLE IF NOT EXISTS m1nd.memory_vector (
    team bigint NOT NULL,
    memory bytea NOT NULL,
    -- The table of words that the vector was computed with; others must not be compared with it.
    model text NOT NULL CHECK (octet_length(model) <= 64),
    direction {schema}.vector(256) NOT NULL,
    PRIMARY KEY (team, memory, model),
    FOREIGN KEY (team, memory) REFERENCES m1nd.memory
);
ALTER TABLE m1nd.memory_vector ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS read ON m1nd.memory_vector;
CREATE POLICY read ON m1nd.memory_vector FOR SELECT USING (team = ANY (ARRAY(SELECT m1nd.teams_with(1::smallint))));
DROP POLICY IF EXISTS add ON m1nd.memory_vector;
CREATE POLICY add ON m1nd.memory_vector FOR INSERT
    WITH CHECK (
        team = ANY (ARRAY(SELECT m1nd.teams_with(2::smallint)))
        AND (SELECT author FROM m1nd.memory WHERE memory.team = memory_vector.team AND memory.id = memory_vector.memory)
            = session_user
    );
