use m1nd_base::Problem;

use super::Input;
use crate::facts::{FactsBuilder, FileFacts};

pub(super) fn extract(input: &Input<'_>) -> Result<FileFacts, Problem> {
    Ok(FactsBuilder::new(input.language, input.lines(), input.limits).finish())
}
