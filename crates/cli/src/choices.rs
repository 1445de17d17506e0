//! The toolsets that a server lists, as words of the command line.

use m1nd_tools::ToolChoice;

use crate::error::CliError;

/// The tools to list; `None` is all.
pub(crate) fn parse_choices(words: &[String]) -> Result<Option<Vec<ToolChoice>>, CliError> {
    match words {
        [] => Ok(None),
        [all] if all == "all" => Ok(None),
        words => words.iter().map(|word| choice(word)).collect::<Result<_, _>>().map(Some),
    }
}

fn choice(word: &str) -> Result<ToolChoice, CliError> {
    ToolChoice::parse(word).ok_or_else(|| {
        let all: Vec<&str> = ToolChoice::all().map(|choice| choice.word()).collect();
        CliError::usage(format!("unknown toolset `{word}`"), format!("expected all, {}", all.join(", ")))
    })
}
