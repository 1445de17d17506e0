//! Every tool over a federation, with the arguments of its example.

use m1nd_engine::Snapshot;
use m1nd_tools::{ALL, ToolDef, find};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

/// The program of the examples, and one that uses it.
fn fixture() -> String {
    // The memory is that of the folder of the server.
    PROGRAM.replace("//- ", "//- shop/").replace("//- shop/.mind/", "//- .mind/")
        + "//- desk/pyproject.toml\n[project]\nname = \"desk\"\n//- desk/till.py\nfrom auth import validate_credentials\n\n\n\
           def open_till(user):\n    return validate_credentials(user, '')\n"
}

/// Arguments with the repository in front of what is in it: ids, paths, and paths of new files.
fn in_repository(value: &mut Value) {
    match value {
        Value::String(text) => {
            let is_path = ["auth.py", "store.py", "README.md", "src/**", "notes.py", "app.py"]
                .iter()
                .any(|path| text.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")));
            if is_path || text.starts_with("file::") {
                *text = format!("shop::{text}");
            } else if let Some(rest) = text.strip_prefix("README.md ") {
                *text = format!("shop::file::README.md {rest}");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(in_repository),
        Value::Object(members) => members.values_mut().for_each(in_repository),
        _ => {}
    }
}

/// Why a text of an answer is no sense: an id of the inside, an id of nothing, or a path of nothing.
fn fault(snapshot: &Snapshot, project: &Project, name: &str, text: &str) -> Option<String> {
    if ["shop", "desk"].iter().any(|name| text.contains(&format!("file::{name}/"))) {
        return Some(format!("`{name}` has an id of the inside: {text}"));
    }
    let is_whole = !text.contains(char::is_whitespace) && !text.contains(['`', '(', ',']);
    if is_whole && let Some(id) = snapshot.without_repository(text).filter(|_| text.contains("::file::")) {
        return snapshot.graph().find(&id).is_none().then(|| format!("`{name}` is no node: {text}"));
    }
    // Frames of a stack trace have paths of another machine.
    let is_path =
        matches!(name, "file_path" | "path" | "file") && (text.starts_with("shop/") || text.starts_with("desk/"));
    let is_there = project.tree.path().join(text).exists() || ["shop/notes.py", "shop/sessions.py"].contains(&text);
    (is_path && !is_there).then(|| format!("`{name}` is no path: {text}"))
}

fn faults(snapshot: &Snapshot, project: &Project, answer: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = vec![("", answer)];
    while let Some((name, value)) = rest.pop() {
        match value {
            Value::String(text) => found.extend(fault(snapshot, project, name, text)),
            Value::Array(items) => rest.extend(items.iter().map(|item| (name, item))),
            // What a rename took away is no node any more.
            Value::Object(members) => {
                let there = members.iter().filter(|(name, _)| *name != "removed");
                rest.extend(there.map(|(name, value)| (name.as_str(), value)));
            }
            _ => {}
        }
    }
    found
}

/// The examples of tools in their order; those that other tests cover are left out.
fn tools() -> impl Iterator<Item = &'static ToolDef> {
    ALL.iter().filter(|tool| tool.name != "federate" && tool.name != "ingest")
}

#[test]
fn every_tool_answers_over_a_federation_as_over_one_repository() {
    let single = Project::new(PROGRAM);
    let project = Project::open_unindexed(&fixture());
    project.follow();
    let repos = json!([{"name": "shop", "path": "shop"}, {"name": "desk", "path": "desk"}]);
    let made = project.ok("federate", json!({"repos": repos}));
    assert!(made["cross_repo_edges"].to_string().contains("desk::file::till.py::fn::open_till"), "{made}");
    let mut wrong = Vec::new();
    for tool in tools() {
        let alone = single.call_as_is(tool.name, single.example(tool));
        let mut arguments = project.example(tool);
        in_repository(&mut arguments);
        for (name, mut before) in tool.calls_before() {
            in_repository(&mut before);
            before["agent_id"] = arguments["agent_id"].clone();
            // Such as a second trail of the same name.
            let _ = project.call_as_is(name, before);
        }
        if tool.name == "edit_commit" {
            let mut preview = find("edit_preview").expect("a tool").example_arguments();
            in_repository(&mut preview);
            let made =
                project.call_as_is("edit_preview", preview).unwrap_or_else(|error| panic!("{}", error.to_json()));
            arguments["preview_id"] = made["preview_id"].clone();
        }
        let answer = project.call_as_is(tool.name, arguments.clone());
        let snapshot = project.services.current().engine.snapshot();
        match (&alone, &answer) {
            (Ok(_), Ok(answer)) => {
                let found = faults(&snapshot, &project, answer);
                wrong.extend(found.into_iter().map(|fault| format!("{}: {fault}", tool.name)));
            }
            (Err(alone), Err(error)) if alone.code == error.code => {}
            (alone, Err(error)) => {
                let alone = alone.as_ref().err().map(|error| error.code);
                wrong.push(format!("{} {arguments}: {} ({alone:?} alone)", tool.name, error.to_json()));
            }
            (Err(alone), Ok(_)) => wrong.push(format!("{}: only alone {}", tool.name, alone.to_json())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_cannot_be_read_is_not_said_to_use_nothing() {
    let project = Project::open_unindexed(&fixture());
    project.follow();
    let repos = json!([{"name": "shop", "path": "shop"}, {"name": "desk", "path": "desk"}]);
    project.ok("federate", json!({"repos": repos, "incremental": true}));
    let find = json!({"node_id": "shop::file::store.py::class::Store::fn::find"});
    let known = project.ok("callers", find.clone());
    std::fs::rename(project.tree.path().join("desk"), project.tree.path().join("away")).expect("is moved");
    project
        .services
        .current()
        .engine
        .federate(true, &m1nd_base::Cancel::new(), &m1nd_base::NoProgress)
        .expect("is read");
    let after = project.ok("callers", find);
    assert_ne!(known["closure"]["state"], after["closure"]["state"], "{after}");
    assert!(after["closure"].to_string().contains("`desk` of the workspace cannot be read"), "{after}");
}

#[test]
fn a_folder_is_not_federated_with_itself() {
    let project = Project::open_unindexed(&fixture());
    project.follow();
    let shop = project.tree.path().join("shop");
    let git = |path: &std::path::Path, text: &str| {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    git(&shop.join(".git/HEAD"), "ref: refs/heads/main\n");
    git(&shop.join(".git/worktrees/copy/commondir"), "../..\n");
    git(&shop.join(".git/worktrees/copy/HEAD"), "ref: refs/heads/other\n");
    let copy = project.tree.path().join("copy");
    git(&shop.join(".git/worktrees/copy/gitdir"), &copy.join(".git").display().to_string());
    git(&copy.join("auth.py"), "def validate_credentials(user, password):\n    return True\n");
    git(&copy.join(".git"), &format!("gitdir: {}\n", shop.join(".git/worktrees/copy").display()));
    let repos = json!([{"name": "shop", "path": "shop"}, {"name": "copy", "path": "copy"}]);
    let error = project.call_federated("federate", json!({"repos": repos})).expect_err("is the same repository");
    assert!(error.message.contains("work trees of the same repository"), "{error}");
    let repos = json!([{"name": "shop", "path": "shop"}, {"name": "desk", "path": "desk"}]);
    project.ok("federate", json!({"repos": repos}));
}

#[test]
fn a_part_of_what_is_indexed_can_be_federated() {
    let project = Project::new(PROGRAM);
    project.follow();
    let made = project.ok("federate", find("federate").expect("a tool").example_arguments());
    assert!(made["total_nodes"].as_u64() > Some(3), "{made}");
    project.ok("seek", json!({"query": "needle", "min_score": 0.0}));
    let error = project.err("surgical_context", json!({"file_path": "auth.py"}));
    assert_eq!(error["code"], "file_not_found", "{error}");
    assert!(error.to_string().contains("begin with the name of a repository"), "{error}");
}
