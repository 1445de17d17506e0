use m1nd_run::{AllowError, CheckKind, Checks, PROPOSALS_FILE, Scope, Selection, proposals};

use crate::world::World;

#[test]
fn commands_are_allowed_listed_and_removed() {
    let world = World::new();
    let (scope, checks) = (world.scope(), &world.checks);
    assert!(checks.prepare(&scope, Selection::default()).expect("is read").is_none());
    world.allow(CheckKind::Test, &["cargo", "test", "a b"], 10);
    world.allow(CheckKind::Compile, &["cargo", "check"], 10);
    let again = world.command(CheckKind::Compile, &["cargo", "check"]);
    let again = m1nd_run::Allowed { timeout_s: 10, ..again };
    assert!(matches!(checks.allow(&scope, again), Err(AllowError::Known)));
    let shown: Vec<String> = checks.list(&scope).expect("is read").iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["cargo check", "cargo test \"a b\""]);
    assert!(matches!(checks.remove(&scope, 3), Err(AllowError::Unknown { given: 3, count: 2 })));
    assert_eq!(checks.remove(&scope, 2).expect("is there").kind, CheckKind::Test);
    assert_eq!(Checks::new(world.state()).list(&scope).expect("is read").len(), 1);
}

#[test]
fn what_is_not_allowed() {
    let world = World::new();
    let scope = world.scope();
    let none = world.command(CheckKind::Test, &[]);
    assert!(matches!(world.checks.allow(&scope, none), Err(AllowError::Empty)));
    let mut outside = world.command(CheckKind::Test, &["true"]);
    outside.dir = world.state().to_path_buf();
    assert!(matches!(world.checks.allow(&scope, outside.clone()), Err(AllowError::Outside { .. })));
    std::os::unix::fs::symlink(world.state(), world.path().join("link")).expect("is made");
    outside.dir = world.path().join("link");
    assert!(matches!(world.checks.allow(&scope, outside), Err(AllowError::Outside { .. })));
    let endless = m1nd_run::Allowed { timeout_s: 100_000, ..world.command(CheckKind::Test, &["true"]) };
    assert!(matches!(world.checks.allow(&scope, endless), Err(AllowError::Timeout { given: 100_000 })));
}

#[test]
fn a_repository_proposes_and_allows_nothing() {
    let world = World::new();
    let text = "[[verify.command]]\nkind = \"test\"\nargv = [\"touch\", \"pwned\"]\n";
    world.write(PROPOSALS_FILE, text);
    assert_eq!(proposals(world.path())[0].show_command(), "touch pwned");
    assert!(world.checks.prepare(&world.scope(), Selection::default()).expect("is read").is_none());
    // Nor if the state of m1nd is put into the repository.
    world.write("state/verify/settings.toml", text);
    let own = Checks::new(&world.path().join("state"));
    let error = own.prepare(&world.scope(), Selection::default()).expect_err("is not trusted");
    assert!(matches!(error, AllowError::InRepository { .. }), "{error}");
}

#[test]
fn damaged_settings_allow_nothing() {
    let world = World::new();
    world.allow(CheckKind::Test, &["true"], 10);
    std::fs::write(world.checks.file(), "[[verify.command]]\nkind = \"test\"\n").expect("is written");
    assert!(matches!(world.checks.list(&world.scope()), Err(AllowError::Damaged { .. })));
}

#[test]
fn a_folder_that_left_the_project_is_not_entered() {
    let world = World::new();
    let inner = world.path().join("inner");
    std::fs::create_dir(&inner).expect("is made");
    let mut command = world.command(CheckKind::Compile, &["true"]);
    command.dir = inner.clone();
    world.checks.allow(&world.scope(), command).expect("is allowed");
    std::fs::remove_dir(&inner).expect("is removed");
    std::os::unix::fs::symlink(world.state(), &inner).expect("is made");
    let reports = world.around(Selection::default(), || ());
    assert_eq!(reports[0].result, m1nd_run::CheckResult::NotRun);
    let other = Scope::of(vec![world.state().join("elsewhere")]);
    assert!(world.checks.list(&other).is_ok());
}
