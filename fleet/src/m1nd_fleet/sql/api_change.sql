-- What breaks if a package's API changes: each symbol that other repositories use, most used first.
-- Parameters: repository (that of the package), name (of the symbol).
SELECT e.target_repository, e.target, e.target_kind,
    COUNT(DISTINCT e.repository) AS repositories,
    COUNT(DISTINCT e.team) AS teams,
    COUNT(*) AS uses,
    COUNT(CASE WHEN e.tier = 'certain' THEN 1 END) AS certain_uses
FROM cross_edges AS e
CROSS JOIN ask
WHERE e.target_repository LIKE ask.repository
    AND e.target_name LIKE ask.name
    AND e.target_kind <> 'file' AND e.relation <> 'documents'
GROUP BY e.target_repository, e.target, e.target_kind
ORDER BY repositories DESC, uses DESC, e.target_repository, e.target
