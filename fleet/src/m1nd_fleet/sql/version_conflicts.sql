-- Packages that the fleet uses in several versions.
-- Parameters: package.
SELECT d.ecosystem, d.name,
    COUNT(DISTINCT d.version) AS versions,
    COUNT(DISTINCT d.repository) AS repositories,
    MIN(d.version) AS first_version,
    MAX(d.version) AS last_version
FROM dependencies AS d
CROSS JOIN ask
WHERE d.version IS NOT NULL AND d.name LIKE ask.package
GROUP BY d.ecosystem, d.name
HAVING COUNT(DISTINCT d.version) > 1
ORDER BY repositories DESC, versions DESC, d.ecosystem, d.name
