//! The process that keeps an index open: answers are those of a program of its own.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::{Place, Run, SHOP};

/// How long the process may take to listen, or to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Questions of every kind, as text and as JSON.
pub(crate) const QUESTIONS: &[&[&str]] = &[
    &["north", "the gross price of an order"],
    &["seek", "gross price"],
    &["seek", "gross price", "--json"],
    &["callers", "gross"],
    &["callers", "gross", "--json"],
    &["impact", "shop/price.py"],
    &["impact", "shop/price.py", "--json"],
    &["tests_for", "shop/price.py"],
    &["outline", "shop/order.py"],
    &["view", "gross"],
    &["why", "total", "net"],
    &["call", "glob", "--pattern", "*.ts"],
    &["call", "search", "--query", "gross", "--json"],
    &["call", "predict", "--changed-node", "shop/price.py"],
    &["callers", "nothing_has_this_name"],
];

/// A running process, which ends with the test.
struct Resident {
    child: Child,
    log: PathBuf,
}

impl Drop for Resident {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Resident {
    fn start(place: &Place) -> Self {
        let log = place.user.join("resident.log");
        let file = File::create(&log).unwrap();
        let (root, home) = (place.project.path().to_string_lossy(), place.user.join("store"));
        let mut command = place.command(&["__resident", &root, &home.to_string_lossy(), ""]);
        let child = command.env("M1ND_LOG", "m1nd=info").stderr(Stdio::from(file)).spawn().unwrap();
        let started = Self { child, log };
        wait_until("it listens", || socket_of(place).is_some());
        started
    }

    /// Tools that it was asked for, each with whether it left the answer to the caller.
    fn list_questions(&self) -> Vec<(String, bool)> {
        let text = std::fs::read_to_string(&self.log).unwrap();
        let word = |line: &str, name: &str| {
            let rest = line.split_once(&format!("{name}="))?.1;
            Some(rest.split_whitespace().next()?.trim_matches('"').to_owned())
        };
        text.lines()
            .filter(|line| line.contains("asked"))
            .filter_map(|line| Some((word(line, "tool")?, word(line, "declined")? == "true")))
            .collect()
    }
}

pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}: not in time");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn socket_of(place: &Place) -> Option<PathBuf> {
    let folders = std::fs::read_dir(place.user.join("store/projects")).ok()?;
    folders.flatten().map(|folder| folder.path().join("resident.sock")).find(|path| path.exists())
}

/// The output of a question with the resident process allowed or not, without the time that it took.
pub(crate) fn ask(place: &Place, question: &[&str], is_allowed: bool) -> (i32, String, String) {
    let mut command = place.command(question);
    if is_allowed {
        command.env_remove("M1ND_NO_DAEMON");
    }
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let out = text(output.stdout);
    let out: String =
        out.lines().filter(|line| !line.contains("\"elapsed_ms\"")).map(|line| format!("{line}\n")).collect();
    (output.status.code().unwrap_or(-1), out, text(output.stderr))
}

pub(crate) fn index_shop() -> Place {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    place
}

#[test]
fn answers_are_those_of_a_program_of_its_own_byte_for_byte() {
    let place = index_shop();
    let resident = Resident::start(&place);
    for question in QUESTIONS {
        // Twice: what it keeps from one question changes nothing for the next.
        for _ in 0..2 {
            assert_eq!(ask(&place, question, true), ask(&place, question, false), "{question:?}");
        }
    }
    let asked = resident.list_questions();
    let answered = asked.iter().filter(|(_, declined)| !declined).count();
    assert_eq!(asked.len(), 2 * QUESTIONS.len(), "{asked:?}");
    // It leaves errors to the caller.
    assert_eq!(answered, 2 * (QUESTIONS.len() - 1), "{asked:?}");
}

#[test]
fn a_change_on_disk_is_in_the_next_answer() {
    let place = index_shop();
    let resident = Resident::start(&place);
    assert!(ask(&place, &["callers", "gross"], true).1.contains("Order.total)"));
    place.project.write("shop/order.py", "from shop.price import gross\n\ndef sum_up():\n    return gross(4)\n");
    let answer = ask(&place, &["callers", "gross"], true);
    assert!(answer.1.contains("(sum_up)") && !answer.1.contains("Order.total)"), "{answer:?}");
    // The index is current again, and the process takes it up: at once, unless the machine is busy.
    let list_declined =
        || -> Vec<bool> { resident.list_questions().into_iter().map(|(_, declined)| declined).collect() };
    for _ in 0..20 {
        assert_eq!(ask(&place, &["callers", "gross"], true), answer);
        if list_declined().last() == Some(&false) {
            break;
        }
    }
    let declined = list_declined();
    assert_eq!((&declined[..2], declined.last()), (&[false, true][..], Some(&false)), "{declined:?}");
}

#[test]
fn nothing_that_would_answer_otherwise_is_passed_on() {
    let place = index_shop();
    let resident = Resident::start(&place);
    let run = |change: &dyn Fn(&mut std::process::Command), arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env_remove("M1ND_NO_DAEMON");
        change(&mut command);
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
        resident.list_questions()
    };
    let question: &[&str] = &["seek", "gross"];
    assert_eq!(run(&|_| {}, &["seek", "gross", "--no-daemon"]), []);
    assert_eq!(
        run(
            &|command| {
                command.env("M1ND_NO_DAEMON", "1");
            },
            question
        ),
        []
    );
    assert_eq!(
        run(
            &|command| {
                command.env("M1ND_LOG", "error");
            },
            question
        ),
        []
    );
    // Writes, and answers about the process itself.
    assert_eq!(run(&|_| {}, &["call", "health"]), []);
    assert_eq!(run(&|_| {}, &["call", "ingest", "--path", "."]), []);
    // Another setting of the environment is asked about and refused.
    let other = run(
        &|command| {
            command.env("MIND_OTHER", "1");
        },
        question,
    );
    assert_eq!(other, [("seek".to_owned(), true)]);
    place.user.write("store/settings.toml", "daemon = false\n");
    assert_eq!(run(&|_| {}, question).len(), 1);
}

#[test]
fn a_question_starts_it_if_the_user_wants_and_it_ends_with_its_project() {
    let place = index_shop();
    ask(&place, &["seek", "gross"], true);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(socket_of(&place), None, "it does not pay for a small index");
    place.user.write("store/settings.toml", "daemon = true\n");
    ask(&place, &["seek", "gross"], true);
    wait_until("it listens", || socket_of(&place).is_some());
    let socket = socket_of(&place).unwrap();
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(ask(&place, &["seek", "gross"], true), ask(&place, &["seek", "gross"], false));
    // Its lock goes: somebody removed the state of the project.
    std::fs::remove_file(socket.with_file_name("resident.lock")).unwrap();
    std::fs::remove_file(&socket).unwrap();
    let folder = socket.parent().unwrap().to_owned();
    wait_until("it ends", || !is_open_by_a_resident(&folder));
}

/// Whether a process that keeps an index open has a file of this folder open.
fn is_open_by_a_resident(folder: &std::path::Path) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return false };
    processes.flatten().any(|process| {
        let arguments = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let is_one = arguments.split(|byte| *byte == 0).any(|word| word == b"__resident");
        let files = std::fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten();
        is_one && files.filter_map(|file| std::fs::read_link(file.path()).ok()).any(|path| path.starts_with(folder))
    })
}

/// Answers of `m1nd outline` and `m1nd callers` while another program builds the first index, until it is done.
fn ask_while_indexing(place: &Place) -> Vec<(String, Run)> {
    let mut ingest = place.command(&["ingest", "--quiet"]);
    let mut ingest = ingest.env_remove("M1ND_NO_DAEMON").stdout(Stdio::null()).spawn().unwrap();
    let mut answers = Vec::new();
    while ingest.try_wait().unwrap().is_none() {
        for question in [["outline", "m0.py"], ["callers", "f0_0"]] {
            let (code, out, err) = ask(place, &question, true);
            answers.push((question[0].to_owned(), Run { code, out, err }));
        }
    }
    assert!(ingest.wait().unwrap().success());
    answers
}

#[test]
fn a_program_that_indexes_answers_others_and_concludes_nothing_from_links_that_are_missing() {
    let place = Place::new("");
    for file in 0..300 {
        let code: String = (0..30).map(|line| format!("def f{file}_{line}():\n    return f0_0()\n")).collect();
        place.project.write(format!("m{file}.py"), format!("from m0 import f0_0\n{code}"));
    }
    let answers = ask_while_indexing(&place);
    let mut seen_early = 0;
    for (tool, run) in &answers {
        let text = format!("{}{}", run.out, run.err);
        let is_waiting = text.contains("cannot tell yet") || text.contains("nothing is indexed yet");
        seen_early += usize::from(text.contains("cannot tell yet") || text.contains("still being linked"));
        match tool.as_str() {
            "outline" => assert!(is_waiting || run.out.contains("f0_29"), "{run:?}"),
            // All callers, or no answer.
            _ => assert!(is_waiting || run.out.contains("300 files") || run.out.contains("9000"), "{run:?}"),
        }
    }
    assert!(seen_early > 0, "{answers:?}");
    assert!(socket_of(&place).is_none(), "it listens no longer");
}
