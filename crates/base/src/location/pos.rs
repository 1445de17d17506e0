use serde::{Deserialize, Serialize};

/// 1-based position in a file; the column counts characters. Line 0 means "the file as a whole".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Pos {
    /// 1-based line.
    pub line: u32,
    /// 1-based column in characters (saturates at 65,535).
    pub col: u16,
}
