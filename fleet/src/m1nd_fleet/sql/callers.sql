-- Who in the company calls a function: by its name, and the repository that defines it.
-- Parameters: name, repository (that of the definition).
SELECT calls.repository, calls.team, source_file, source_line, source_name, tier, target_repository, target
FROM (
    SELECT e.repository, e.team, e.source_file, e.source_line, e.source_name, e.tier,
        e.target_repository, e.target, e.target_name
    FROM cross_edges AS e
    WHERE e.relation = 'calls'
    UNION ALL
    SELECT l.repository, l.team, l.source_file, l.source_line, l.source_name, l.tier,
        l.repository AS target_repository, l.target, l.target_name
    FROM edges AS l
    WHERE l.relation = 'calls' AND l.tier <> 'external'
) AS calls
CROSS JOIN ask
WHERE target_name LIKE ask.name AND target_repository LIKE ask.repository
ORDER BY tier, calls.repository, source_file, source_line, source_name, target
