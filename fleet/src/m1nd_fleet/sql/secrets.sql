-- Places that look like secrets, by team; never the secrets.
-- Parameters: team, repository.
SELECT s.team, s.repository, s.kind, s.file, s.line, s.is_test
FROM secrets AS s
CROSS JOIN ask
WHERE s.team LIKE ask.team AND s.repository LIKE ask.repository
ORDER BY s.team, s.repository, s.is_test, s.file, s.line, s.kind
