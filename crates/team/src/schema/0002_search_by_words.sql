-- Search by words: clients split identifiers and stem, so the server only has to compare.

ALTER TABLE m1nd.memory ADD COLUMN search tsvector GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED;
CREATE INDEX memory_by_words ON m1nd.memory USING gin (search);
