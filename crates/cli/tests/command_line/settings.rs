//! `settings.toml`: which source of a setting wins, and what `health` says of it.

use m1nd_testkit::wire::Wire;
use serde_json::{Value, json};

use crate::{Place, SHOP};

/// The settings of a server as `health` lists them.
fn settings(place: &Place, arguments: &[&str]) -> Value {
    let mut wire = Wire::spawn(place.command(&["serve", "--no-watch"]).args(arguments)).expect("starts");
    wire.initialize("2025-06-18");
    let (answer, _) = wire.call("health", json!({"agent_id": "t", "format": "json"}));
    assert!(wire.finish().success());
    answer["settings"].clone()
}

#[test]
fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
    let place = Place::new(SHOP);
    let root = place.project.path().canonicalize().expect("is there");
    let of_project =
        format!("envelope = true\n[projects.{:?}]\nread_only = false\nformat = \"text\"\n", root.display().to_string());
    place.user.write("store/settings.toml", &of_project);
    let rows = [(&[][..], "text", "file"), (&["--format", "json"][..], "json", "flag")];
    for (arguments, format, source) in rows {
        let settings = settings(&place, arguments);
        let row = |name: &str| {
            let row = settings.as_array().into_iter().flatten().find(|row| row["name"] == name).expect("is listed");
            (
                row["value"].as_str().unwrap_or_default().to_owned(),
                row["source"].as_str().unwrap_or_default().to_owned(),
            )
        };
        assert_eq!(row("format"), (format.to_owned(), source.to_owned()));
        assert_eq!(row("envelope"), ("true".to_owned(), "file".to_owned()));
        assert_eq!(row("watch"), ("false".to_owned(), "flag".to_owned()));
        assert_eq!(row("read_only").1, "file");
        assert_eq!(row("toolset"), ("all".to_owned(), "default".to_owned()));
    }
}

/// Damaged, newer, half written, not text, not a file: every command goes on, and says it once.
#[cfg(unix)]
#[test]
fn settings_that_cannot_be_used_stop_no_command() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let file = place.user.join("store/settings.toml");
    let commands: [&[&str]; 6] = [
        &["status"],
        &["call", "search", "--query", "net"],
        &["call", "apply", "--json", r#"{"file_path": "n.py", "new_content": "x = 1\n"}"#],
        &["verify", "list"],
        &["memory", "status"],
        &["export", "--what", "nodes"],
    ];
    let states: [(&[u8], &str); 6] = [
        (b"bogus = 1\n", "bogus"),
        (b"watch = \"yes\"\n", "watch"),
        (b"toolset = [\"none such\"]\n", "toolset"),
        (b"[projects.\"/x", "TOML"),
        (b"\xff\xfe", "read"),
        (b"pipe", "regular file"),
    ];
    for (bytes, named) in states {
        _ = std::fs::remove_file(&file);
        match bytes {
            b"pipe" => assert!(std::process::Command::new("mkfifo").arg(&file).status().expect("runs").success()),
            bytes => std::fs::write(&file, bytes).expect("is written"),
        }
        for arguments in commands {
            let run = place.run(arguments);
            assert_eq!(run.code, 0, "{named} {arguments:?}: {run:?}");
            let said = run.err.matches("settings.toml").count();
            let expected = usize::from(arguments[0] != "export");
            assert!(said == expected && (said == 0 || run.err.contains(named)), "{named} {arguments:?}: {run:?}");
        }
        let doctor = place.run(&["doctor"]);
        assert!(doctor.code == 6 && doctor.out.contains("settings.toml") && doctor.out.contains(named), "{doctor:?}");
        assert!(settings(&place, &[]).is_array(), "{named}: a server starts");
    }
}

#[test]
fn a_repository_cannot_bring_settings() {
    let place = Place::new(SHOP);
    place.project.write("state/settings.toml", "bogus = 1\n");
    let home = place.project.join("state");
    let run = place.run(&["status", "--home", home.to_str().expect("is text")]);
    assert!(!run.err.contains("bogus"), "{}", run.err);
}
