-- Who uses packages of whom: uses joined with packages that repositories of the fleet provide, by ecosystem, name in
-- code and the requirement of the manifest. A package that several repositories provide leads to none of them.
WITH offers AS (
    SELECT DISTINCT ecosystem, import_name, repository FROM provides
),
unique_offers AS (
    SELECT ecosystem, import_name, MIN(repository) AS provider
    FROM offers
    GROUP BY ecosystem, import_name
    HAVING COUNT(DISTINCT repository) = 1
),
uses AS (
    SELECT DISTINCT repository, ecosystem, package, dependency FROM external_uses
)
SELECT DISTINCT u.repository, o.provider
FROM uses AS u
JOIN unique_offers AS o
    ON o.ecosystem = u.ecosystem
    AND o.import_name = CASE WHEN u.ecosystem = 'pypi' THEN lower(u.package) ELSE u.package END
WHERE o.provider <> u.repository
    -- Java's manifests name artifacts, not packages.
    AND (u.dependency IS NOT NULL OR u.ecosystem = 'maven')
ORDER BY u.repository, o.provider
