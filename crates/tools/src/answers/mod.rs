//! Rows and texts that the answers of several tools share.

pub(crate) mod change_rows;
pub(crate) mod docstring;
pub(crate) mod heuristics;
pub(crate) mod prior;
pub(crate) mod rows;
pub(crate) mod site_text;
pub(crate) mod sites;
pub(crate) mod source;
pub(crate) mod test_rows;
