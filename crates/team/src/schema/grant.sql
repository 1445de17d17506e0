GRANT USAGE ON SCHEMA m1nd TO {login};
GRANT EXECUTE ON FUNCTION m1nd.teams_with(smallint) TO {login};
GRANT SELECT ON m1nd.migration, m1nd.team, m1nd.member, m1nd.memory, m1nd.change, m1nd.approval TO {login};
GRANT INSERT (team, id, repository, kind, about, title, line, reason, words, day) ON m1nd.memory TO {login};
GRANT INSERT (team, memory, generation) ON m1nd.change TO {login};
GRANT INSERT (team, memory) ON m1nd.approval TO {login};
