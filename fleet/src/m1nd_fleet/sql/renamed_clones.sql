-- Functions that several repositories have copies of under other names: the same tokens but for names and literals.
-- Longer than plain copies have to be, since short functions have equal shapes by chance.
-- Parameters: repository (one that has a copy).
WITH copies AS (
    SELECT shape, language, MAX(tokens) AS tokens, COUNT(DISTINCT repository) AS repositories,
        COUNT(DISTINCT exact) AS variants
    FROM bodies
    WHERE NOT is_test AND tokens >= 60
    GROUP BY shape, language
    HAVING COUNT(DISTINCT repository) > 1 AND COUNT(DISTINCT exact) > 1
)
SELECT c.shape, c.repositories, c.variants, c.tokens, b.repository, b.team, b.file, b.line, b.name
FROM copies AS c
JOIN bodies AS b ON b.shape = c.shape AND b.language = c.language
CROSS JOIN ask
WHERE NOT b.is_test AND b.repository LIKE ask.repository
ORDER BY c.tokens DESC, c.shape, b.repository, b.file, b.line
