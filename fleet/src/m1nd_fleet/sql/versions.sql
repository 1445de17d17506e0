-- Which version of a package is used where.
-- Parameters: package, team.
SELECT d.ecosystem, d.name, d.version, d.requirement, d.scope, d.repository, d.team, d.manifest
FROM dependencies AS d
CROSS JOIN ask
WHERE d.name LIKE ask.package AND d.team LIKE ask.team
ORDER BY d.ecosystem, d.name, d.version, d.requirement, d.repository, d.manifest, d.scope
