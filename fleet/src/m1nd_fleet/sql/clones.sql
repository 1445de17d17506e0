-- Functions that several repositories have copies of: the same tokens, but for comments, layout and their own name.
-- Parameters: repository (one that has a copy).
WITH copies AS (
    SELECT exact, language, MAX(tokens) AS tokens, COUNT(DISTINCT repository) AS repositories
    FROM bodies
    WHERE NOT is_test
    GROUP BY exact, language
    HAVING COUNT(DISTINCT repository) > 1
)
SELECT c.exact, c.repositories, c.tokens, b.repository, b.team, b.file, b.line, b.name
FROM copies AS c
JOIN bodies AS b ON b.exact = c.exact AND b.language = c.language
CROSS JOIN ask
WHERE NOT b.is_test AND b.repository LIKE ask.repository
ORDER BY c.tokens DESC, c.exact, b.repository, b.file, b.line
