//! `mind add`: a memory, or projects to register.

use std::io::Read;
use std::path::Path;

use m1nd_mind::{NewKind, ProjectMemory};
use serde_json::json;

use super::look::open;
use super::projects;
use crate::args::Common;
use crate::args::memory::{AddArgs, KindWord};
use crate::error::CliError;
use crate::output::{Out, note};

/// Stands for standard input.
const STDIN: &str = "-";
/// Largest text that is read from standard input, in bytes.
const MAX_STDIN: u64 = 1 << 20;
/// Fewest words that are a text without quotes around them.
const MIN_WORDS: usize = 3;

/// Runs the command.
pub(crate) fn run(args: &AddArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let is_asked = args.kind.is_some() || args.path.is_some();
    if !is_asked && !is_text(&args.words) {
        return projects::add(&args.words, out);
    }
    let text = match args.words.as_slice() {
        [word] if word == STDIN => stdin()?,
        words => words.join(" "),
    };
    let kind = args.kind.map(|kind| match kind {
        KindWord::Decision => NewKind::Decision,
        KindWord::Issue => NewKind::Issue,
        KindWord::Fix => NewKind::Fix,
        KindWord::Learning => NewKind::Learning,
        KindWord::Gotcha => NewKind::Gotcha,
    });
    let (project, keeper) = open(args.path.as_deref(), common)?;
    let added = m1nd_mind::add(&ProjectMemory::read(&project, keeper.home())?, &text, kind)?;
    m1nd_mind::refresh_blocks(&ProjectMemory::read(&project, keeper.home())?).problems.into_iter().for_each(note);
    if out.json {
        return out.value(&json!(added));
    }
    for row in added {
        let known = if row.is_known { " (noted already)" } else { "" };
        out.line(format!("{}:{}  [{}] {}{known}  {}", row.file, row.line, row.kind.name(), row.title, row.id))?;
    }
    Ok(())
}

/// Whether words are a memory and not folders: one with blanks inside, standard input, or several that are no paths.
fn is_text(words: &[String]) -> bool {
    let is_path = |word: &String| word.starts_with(['/', '.', '~']) || Path::new(word).is_dir();
    match words {
        [word] => word == STDIN || word.contains(char::is_whitespace) && !Path::new(word).is_dir(),
        words => words.len() >= MIN_WORDS && !words.iter().all(is_path),
    }
}

fn stdin() -> Result<String, CliError> {
    let mut text = String::new();
    std::io::stdin().lock().take(MAX_STDIN).read_to_string(&mut text)?;
    Ok(text)
}
