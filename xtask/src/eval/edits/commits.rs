//! `eval edits mutations`.

use super::Request;
use crate::Outcome;

pub(super) fn run(_: &Request) -> Outcome<()> {
    Ok(())
}
