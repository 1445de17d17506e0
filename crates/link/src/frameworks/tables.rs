//! Classes and calls that declare tables of databases in code, as data.

/// One way of declaring a table.
#[derive(Debug)]
pub(crate) struct TableRow {
    /// Package of the callee or decorator.
    pub(crate) package: &'static str,
    pub(crate) names: &'static [&'static str],
    /// It says how a table is created; else it maps a class to it.
    pub(crate) creates: bool,
}

const fn creates(package: &'static str, names: &'static [&'static str]) -> TableRow {
    TableRow { package, names, creates: true }
}

const fn maps(package: &'static str, names: &'static [&'static str]) -> TableRow {
    TableRow { package, names, creates: false }
}

/// The name is the first argument by position, or that of the key `name`.
pub(crate) const ROWS: &[TableRow] = &[
    creates("alembic", &["create_table"]),
    maps("sqlalchemy", &["Table"]),
    creates("knex", &["createTable"]),
    creates("typeorm", &["Table"]),
    maps("typeorm", &["Entity"]),
    maps("sequelize", &["define"]),
    maps("drizzle-orm", &["pgTable", "mysqlTable", "sqliteTable"]),
    maps("javax.persistence", &["Table"]),
    maps("jakarta.persistence", &["Table"]),
    maps("org.springframework", &["Table"]),
    maps("System.ComponentModel", &["Table"]),
];

/// Names of fields of a class whose text is the name of its table.
pub(crate) const FIELDS: &[&str] = &["__tablename__", "db_table"];
