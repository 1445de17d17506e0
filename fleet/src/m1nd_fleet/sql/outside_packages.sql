-- Packages from outside the fleet, most used first.
-- Parameters: package.
SELECT x.ecosystem, x.package, COUNT(DISTINCT x.repository) AS repositories, COUNT(*) AS uses,
    COUNT(DISTINCT x.member) AS members
FROM external_uses AS x
LEFT JOIN (SELECT DISTINCT ecosystem, import_name FROM provides) AS p
    ON p.ecosystem = x.ecosystem AND p.import_name = x.package
CROSS JOIN ask
WHERE p.import_name IS NULL AND x.dependency IS NOT NULL AND x.package LIKE ask.package
GROUP BY x.ecosystem, x.package
ORDER BY repositories DESC, uses DESC, x.ecosystem, x.package
