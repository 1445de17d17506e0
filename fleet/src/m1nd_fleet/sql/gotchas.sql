-- Gotchas, decisions and open issues that repositories remember, by team.
-- Parameters: team, repository.
SELECT m.team, m.repository, m.kind, m.status, m.title, m.reasoning, m.file, m.line
FROM memories AS m
CROSS JOIN ask
WHERE m.team LIKE ask.team AND m.repository LIKE ask.repository
    AND (m.status IS NULL OR m.status <> 'resolved')
ORDER BY m.team, m.repository, m.kind, m.file, m.line
