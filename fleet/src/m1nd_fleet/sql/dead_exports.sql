-- Exported functions and classes of repositories that provide packages to others, which nothing in the fleet uses:
-- neither their own repository, apart from tests and imports, nor another one. Users outside the fleet are not known, and a
-- possible use counts as one.
-- Parameters: repository, team.
WITH used AS (
    SELECT e.repository, e.target
    FROM edges AS e
    JOIN nodes AS s ON s.repository = e.repository AND s.id = e.source
    WHERE e.relation NOT IN ('contains', 'documents', 'imports', 'reexports', 'tests') AND e.source <> e.target AND NOT s.is_test
    UNION
    SELECT target_repository AS repository, target
    FROM cross_edges
    WHERE relation <> 'documents'
),
providers AS (
    SELECT DISTINCT target_repository AS repository FROM cross_edges
)
SELECT n.repository, n.team, n.kind, n.file, n.line, n.name
FROM nodes AS n
JOIN providers AS p ON p.repository = n.repository
LEFT JOIN used AS u ON u.repository = n.repository AND u.target = n.id
CROSS JOIN ask
WHERE u.target IS NULL
    AND n.is_exported AND NOT n.is_test AND NOT n.is_entry
    AND n.kind IN ('function', 'class', 'struct', 'interface', 'trait')
    AND n.repository LIKE ask.repository AND n.team LIKE ask.team
ORDER BY n.repository, n.file, n.line, n.name
