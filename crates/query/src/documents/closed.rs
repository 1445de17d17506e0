//! Whether all commands and options that the programs of a project know are declared in texts that can be read: then
//! one that no code has does not exist, whatever the commits say.

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_lang::facts::DeclaredKind;
use m1nd_lang::{Language, list_declared};

/// Maximum bytes of the code that is searched for declarations.
const MAX_BYTES: usize = 128 << 20;

/// What is known to be declared in full.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Closed {
    /// Every option.
    pub(super) options: bool,
    /// Every command.
    pub(super) commands: bool,
}

/// Reads the declarations of a project.
pub(super) fn read_closed(snapshot: &Snapshot, cancel: &Cancel) -> Result<Closed, Cancelled> {
    let (mut options, mut commands) = (0usize, 0usize);
    let mut bytes = 0;
    let may = |language| {
        use Language::{Go, JavaScript, Python, Rust, Tsx, TypeScript};
        matches!(language, Python | Rust | Go | JavaScript | TypeScript | Tsx)
    };
    for file in snapshot.files().iter().filter(|file| may(file.language) && !file.is_test) {
        cancel.check()?;
        let Ok(text) = snapshot.read_bytes(&file.path) else { return Ok(Closed::default()) };
        bytes += text.len();
        if bytes > MAX_BYTES {
            return Ok(Closed::default());
        }
        for (_, kind) in list_declared(file.language, &String::from_utf8_lossy(&text)) {
            match kind {
                DeclaredKind::Open => return Ok(Closed::default()),
                DeclaredKind::Option => options += 1,
                DeclaredKind::Command => commands += 1,
            }
        }
    }
    Ok(Closed { options: options > 0, commands: commands > 0 })
}
