-- Pools of connections.
CREATE TABLE IF NOT EXISTS shop.pools (
  id BIGINT PRIMARY KEY,
  "name" TEXT NOT NULL DEFAULT 'a;b',
  owner_id BIGINT REFERENCES owners (id),
  CONSTRAINT one UNIQUE (name)
);

CREATE VIEW free_pools AS SELECT id FROM pools WHERE id NOT IN (SELECT pool_id FROM uses);
INSERT INTO pools (id, name) VALUES (1, 'x');
UPDATE pools SET name = 'y' WHERE id = 1;
