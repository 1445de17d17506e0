-- Packages that several repositories provide under one name: uses of them are linked to none.
-- Parameters: package.
SELECT p.ecosystem, p.import_name, p.repository, p.version, p.manifest
FROM provides AS p
JOIN (
    SELECT ecosystem, import_name FROM provides GROUP BY ecosystem, import_name HAVING COUNT(DISTINCT repository) > 1
) AS several ON several.ecosystem = p.ecosystem AND several.import_name = p.import_name
CROSS JOIN ask
WHERE p.import_name LIKE ask.package
ORDER BY p.ecosystem, p.import_name, p.repository, p.manifest
