-- Which repositories use which, by certain and possible references.
-- Parameters: repository (the used one), team (of the user).
SELECT e.target_repository, e.repository, e.team,
    COUNT(CASE WHEN e.tier = 'certain' THEN 1 END) AS certain_edges,
    COUNT(CASE WHEN e.tier = 'possible' THEN 1 END) AS possible_edges,
    COUNT(DISTINCT e.target) AS symbols
FROM cross_edges AS e
CROSS JOIN ask
WHERE e.target_repository LIKE ask.repository AND e.team LIKE ask.team AND e.relation <> 'documents'
GROUP BY e.target_repository, e.repository, e.team
ORDER BY e.target_repository, certain_edges DESC, e.repository
