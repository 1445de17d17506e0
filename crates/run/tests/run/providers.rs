//! Programs that read documents: bounded in time, in a folder of their own, and used only if a person named them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use m1nd_base::Cancel;
use m1nd_run::Providers;

/// A store with these settings and a program that runs this script.
fn store(folder: &Path, settings: &str, script: &str) -> Providers {
    use std::os::unix::fs::PermissionsExt as _;
    let program = folder.join("program");
    std::fs::create_dir_all(folder.join("home/documents")).expect("a folder");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let settings = settings.replace("PROGRAM", &program.display().to_string());
    std::fs::write(folder.join("home/documents/settings.toml"), settings).expect("written");
    Providers::new(&folder.join("home"), &[folder.join("project")])
}

fn convert(providers: &Providers, format: &str) -> Option<(&'static str, Result<String, String>)> {
    providers.convert(format, "docs/../../x y.PDF", b"%PDF", &Cancel::new())
}

#[test]
fn a_named_program_gets_a_copy_and_its_text_is_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = "[pdftotext]\nprogram = \"PROGRAM\"\n";
    let providers = store(folder.path(), settings, "test \"$(cat \"$3\")\" = %PDF && basename \"$3\" > \"$4\"");
    assert_eq!(convert(&providers, "pdf"), Some(("pdftotext", Ok("document.pdf\n".to_owned()))));
    assert_eq!(convert(&providers, "docx"), None);
    assert_eq!(std::fs::read_dir(folder.path().join("home/documents")).expect("the folder").count(), 1);
}

#[test]
fn a_program_that_hangs_or_fails_is_ended_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = "[pdftotext]\nprogram = \"PROGRAM\"\ntimeout_s = 1\n";
    let started = Instant::now();
    let outcome = convert(&store(folder.path(), settings, "sleep 60"), "pdf").expect("named").1;
    assert!(outcome.as_ref().is_err_and(|why| why.contains("more than 1 s")), "{outcome:?}");
    assert!(started.elapsed().as_secs() < 10);
    let outcome = convert(&store(folder.path(), settings, "echo bad >&2; exit 2"), "pdf").expect("named").1;
    assert_eq!(outcome, Err("it ended with code 2: bad".to_owned()));
    let outcome = convert(&store(folder.path(), settings, "exit 0"), "pdf").expect("named").1;
    assert_eq!(outcome, Err("it wrote no text".to_owned()));
    let outcome = convert(&store(folder.path(), settings, "ln -s /etc/passwd \"$4\""), "pdf").expect("named").1;
    assert!(outcome.is_err(), "a link is not followed: {outcome:?}");
}

#[test]
fn settings_inside_of_the_project_are_not_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(store(folder.path(), "[pdftotext]\nprogram = \"PROGRAM\"\n", "echo x > \"$4\""));
    let roots: Vec<PathBuf> = vec![folder.path().to_owned()];
    let providers = Providers::new(&folder.path().join("home"), &roots);
    assert_eq!(convert(&providers, "pdf"), None);
    let (_, damage) = providers.health(&Cancel::new());
    assert!(damage.is_some_and(|why| why.contains("not trusted")));
}
