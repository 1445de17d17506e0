//! Memories of a team in PostgreSQL.
