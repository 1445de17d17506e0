use serde::{Deserialize, Serialize};

use super::Pos;

/// A text that a file gives to a call or decorator, or under a name: a route, an address, the name of a topic. Only
/// texts that other programs may know are recorded, see [`crate::texts`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextUse {
    /// The call or decorator it is given to, by its place in [`FileFacts::references`](super::FileFacts::references);
    /// `None` for the value of a name.
    pub reference: Option<u32>,
    /// Place among the arguments, counted from 0, saturating.
    pub place: u8,
    /// The name it is given under: of the argument, of the key in an object, or of the variable.
    pub key: Option<Box<str>>,
    /// The text; parts that are computed are `{}`, or `{a.b}` where a name is written.
    pub text: Box<str>,
    /// First texts of the calls around, from the outermost: prefixes of nested routes.
    pub around: Box<str>,
    /// Where it begins.
    pub pos: Pos,
}

impl TextUse {
    /// Longest text, in bytes.
    pub const MAX_TEXT: usize = 256;
}
