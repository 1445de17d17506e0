//! Extracts facts from the bytes of one file. Pure and total: extraction never fails, never reads a file or a clock
//! other than that of its own parse time, and knows nothing of other files.
//!
//! The facts ([`FileFacts`]) use one small language-neutral vocabulary; `m1nd-link` evaluates them without knowing
//! their language, except through a table of rules.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod edit_rules;
pub mod facts;
mod file_items;
mod implicit_calls;
mod language;
pub mod languages;
mod lines;
pub mod local_code;
pub mod outside;
mod parse;
pub mod patterns;
pub mod reading_rules;
pub mod signatures;
mod spans;
mod strings;
mod syntax;
mod test_paths;
pub mod text;
mod tokens;
pub mod walk;

use spans::{code_words, comments, literal_keys, name_places, native_items};

pub use code_words::{CodeWord, code_words};
pub use comments::{CommentText, Comments, comments_with};
pub use facts::FileFacts;
pub use file_items::{FileItem, ImportParts, ImportedName, ItemKind, file_items, import_statements};
pub use implicit_calls::is_implicit_constructor;
pub use language::{Language, Tier};
pub use languages::{extract, extract_file, extract_readable, list_declared, listing_language, parse_alone};
pub use literal_keys::{KeyContext, literal_keys};
pub use name_places::{NameForm, NamePlace, name_places};
pub use native_items::{NativeItem, NativeItems, Region, RegionKind, native_items};
pub use strings::{comment_ranges, string_literals};
pub use syntax::{SyntaxError, syntax_errors};
pub use test_paths::is_test_path;
pub use text::is_binary;
pub use tokens::{Token, TokenKind, tokens};

/// Goes up whenever any extractor yields other facts for the same bytes: cached facts of another version are not used.
pub const EXTRACTOR_VERSION: u32 = 47;
