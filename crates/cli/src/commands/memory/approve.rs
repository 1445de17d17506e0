//! `mind approve`.

use m1nd_mind::{ProjectMemory, Source};
use serde_json::json;

use super::look::open;
use crate::args::Common;
use crate::args::memory::ApproveArgs;
use crate::error::CliError;
use crate::output::{Out, Tone};

/// Runs the command.
pub(crate) fn run(args: &ApproveArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let (project, keeper) = open(args.path.as_deref(), common)?;
    if args.dry_run {
        keeper.refresh(&project, m1nd_mind::Depth::Full)?;
        let memory = ProjectMemory::read(&project, keeper.home())?;
        let sources = memory.sources();
        if out.json {
            return out.value(&json!({"project": project, "approved": memory.is_own(), "sources": sources}));
        }
        let word = |is_approved| if is_approved { "approved" } else { "not approved" };
        out.line(format!("{}  {}", project.display(), word(memory.is_own())))?;
        return list(&sources, out, |source| word(source.approved));
    }
    if args.undo {
        keeper.disapprove(&project, &args.sources)?;
        return match out.json {
            true => out.value(&json!({"project": project, "taken_back": args.sources})),
            false => out.line(format!("{}  approval withdrawn", project.display())),
        };
    }
    let new = keeper.approve(&project, &args.sources, None)?;
    if out.json {
        return out.value(&json!({"project": project, "approved": new}));
    }
    out.line(format!("{}  approved", project.display()))?;
    list(&new, out, |_| "approved")
}

/// Lists each text with its memories, so that users see what they approve.
fn list(sources: &[Source], out: &mut Out, word: impl Fn(&Source) -> &'static str) -> Result<(), CliError> {
    for source in sources {
        out.line(format!("  {}  {}", source.file, word(source)))?;
        for (line, title) in &source.memories {
            out.line(out.paint(Tone::Dim, &format!("    {line}: {}", m1nd_mind::without_hidden(title))))?;
        }
    }
    Ok(())
}
