//! The memories of one project, derived from its files. Reads only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use m1nd_base::secrets::Values;
use m1nd_base::{ContentHash, RepoPath, count};
use m1nd_memory::edges::EdgeMatcher;
use m1nd_memory::{
    GotchaBullet, Kind, MEDIUM_CONFIDENCE, ParseContext, ParseProblem, Parsed, Recall, Record, RecordId, Relation,
    SessionNotes, SourceKind, Worked, close_issues, parse, relations, session_notes,
};
use m1nd_store::{SharedFolder, StoreError};
use m1nd_vfs::{Root, VfsError};

use crate::files::approval::{self, Approved, Source, Trust};
use crate::files::archives::archives;
use crate::files::edges::{FILE as EDGES_FILE, GlobalEdges};
use crate::files::main_tree::find_main_folder;
use crate::files::noted::{MAX_FILES, Noted, NotedFile};
use crate::files::project::{FOLDER, MEMORY_FILE, SESSION_FILE, name_of};
use crate::files::standing::Standing;
use crate::read::redact::{redact_notes, redact_parsed, redact_record, values_of};
use crate::read::sessions;
use crate::read::settings::{FILE as SETTINGS_FILE, Owner, Settings, WORDS};
use crate::{MemoryError, read::stack};

/// Maximum size of a memory file, in bytes. The parser uses less of it and reports that.
const MAX_MEMORY: u64 = 64 << 20;
/// Maximum size of a `config.toml`, in bytes.
const MAX_SETTINGS: u64 = 1 << 20;
/// Maximum size of the notes of a session, in bytes.
const MAX_SESSION: u64 = 1 << 20;
/// The notice about a project whose repository is not the approved one.
pub(crate) const REPLACED: &str =
    "what lies in this folder is not the repository that was approved here; read what it says, then `mind approve`";
/// The memories of a project with everything known about them.
pub struct ProjectMemory {
    /// Folder of the project, canonical.
    pub path: PathBuf,
    /// Name of the project.
    pub name: String,
    /// Settings of the user, overridden by those of the project where it may.
    pub settings: Settings,
    /// Problems with its files, as sentences.
    pub problems: Vec<String>,
    /// The parsed `MEMORY.md`.
    pub parsed: Parsed,
    /// All memories: of the file, its archive, comments and commits. Secrets are removed; each has a date.
    pub records: Arc<[Record]>,
    /// Memories that the user has forgotten and whose text is still there. They count nowhere.
    pub hidden: Vec<Record>,
    /// Per memory: the time it was written, or first seen if the text has no day; RFC 3339.
    pub dates: Vec<String>,
    /// The parsed notes of the running session (`.mind/SESSION.md`).
    pub notes: SessionNotes,
    /// Days and stretches of work, oldest first. The last one may still go on.
    pub sessions: Vec<Worked>,
    /// Tags of its stack.
    pub stack: Vec<Box<str>>,
    /// Time of the last change of `MEMORY.md`.
    pub modified: Timestamp,
    /// Day on which it was read.
    pub today: Date,
    /// Gotchas of all projects.
    pub global: GlobalEdges,
    /// Size of `MEMORY.md`, in bytes.
    pub(crate) bytes: u64,
    /// Hash of `MEMORY.md`.
    pub(crate) hash: ContentHash,
    pub(crate) noted: Noted,
    /// What the ids of its memories are made with: the same in all work trees of a repository.
    pub(crate) key: String,
    /// The main work tree, if this is a linked one.
    pub(crate) main: Option<MainTree>,
    /// The approvals of the user.
    standing: Standing,
    /// The files and commits whose memories are approved as they are now.
    approved: BTreeSet<String>,
    /// Relations that were found when notes of the session became memories.
    links: Vec<Relation>,
    recall: OnceLock<Arc<Recall>>,
    matcher: OnceLock<EdgeMatcher>,
    relations: OnceLock<Vec<Relation>>,
}

/// The texts that a project's memories are derived from.
pub(crate) struct Texts {
    memory: Vec<u8>,
    archives: Vec<(String, Vec<u8>)>,
    session: Vec<u8>,
    own_settings: Vec<u8>,
    user_settings: Vec<u8>,
    noted: Vec<u8>,
    global: Vec<u8>,
    standing: Standing,
    /// Those of the main work tree, for a linked one.
    main: Option<MainTexts>,
    modified: Timestamp,
    today: Date,
    /// Which of them could not be read, and why.
    problems: Vec<String>,
}

/// What the project in the main work tree of the repository has. Memories belong to the repository: all its work trees
/// show them, and what is added in one is written there.
pub(crate) struct MainTexts {
    project: PathBuf,
    memory: Vec<u8>,
    archives: Vec<(String, Vec<u8>)>,
    noted: Vec<u8>,
    /// The user approved it, so that its own files count.
    is_own: bool,
}

impl MainTexts {
    fn read(project: &Path, home: &SharedFolder, problems: &mut Vec<String>) -> Option<Self> {
        let main = find_main_folder(project, MEMORY_FILE)?;
        let root = Root::open(&main).ok()?;
        Some(Self {
            memory: optional(&root, MEMORY_FILE, MAX_MEMORY, problems).ok()?,
            archives: archives(&main, problems),
            noted: NotedFile::of(&main).read_packed(),
            is_own: Standing::of(&main, home, problems).is_own,
            project: main,
        })
    }

    /// The memories of its files, with the place of each in the main work tree.
    fn parse(&self, texts: &Texts, key: &str) -> Vec<Record> {
        if !self.is_own {
            return Vec::new();
        }
        let place = |file: &str| self.project.join(file).to_string_lossy().into_owned();
        let memory = texts.parse(key, SourceKind::MemoryFile, &place(MEMORY_FILE), &self.memory);
        let archives =
            self.archives.iter().map(|(path, bytes)| texts.parse(key, SourceKind::Archive, &place(path), bytes));
        std::iter::once(memory).chain(archives.collect::<Vec<_>>()).flat_map(|parsed| parsed.records).collect()
    }
}

/// The main work tree of a project in a linked one, and which memories are from there.
#[derive(Debug)]
pub(crate) struct MainTree {
    /// The project there.
    pub(crate) project: PathBuf,
    is_own: bool,
    /// Memories of its files. The user approved them, whatever the linked work tree holds.
    records: BTreeSet<RecordId>,
    gotchas: Vec<GotchaBullet>,
}

/// The memories of all texts.
struct Memories {
    records: Vec<Record>,
    /// See [`ProjectMemory::hidden`].
    hidden: Vec<Record>,
    /// The time of each of `records`.
    dates: Vec<String>,
    /// Relations found when notes of the session became memories.
    links: Vec<Relation>,
}

/// Inputs of the memories other than the texts.
struct Told<'t> {
    noted: &'t Noted,
    settings: &'t Settings,
    /// See [`ProjectMemory::approved`].
    approved: &'t BTreeSet<String>,
    notes: &'t SessionNotes,
    /// Secrets of the texts; see [`Texts::secrets`].
    values: &'t Values,
}

/// Returns the user's settings, and the problems of their file.
pub fn user_settings(home: &SharedFolder) -> (Settings, Vec<String>) {
    let mut settings = Settings::default();
    let mut problems = Vec::new();
    let text = read_stored(home.read(SETTINGS_FILE, MAX_SETTINGS), SETTINGS_FILE, &mut problems);
    problems.extend(settings.apply(&String::from_utf8_lossy(&text), Owner::User));
    (settings, problems)
}

/// A file that may be missing. Adds to `problems` why it cannot be read.
fn read_stored(read: Result<Option<Vec<u8>>, StoreError>, name: &str, problems: &mut Vec<String>) -> Vec<u8> {
    match read {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(error) => {
            problems.push(format!("{name} is not used: {error}"));
            Vec::new()
        }
    }
}

/// Like [`read_stored`], for a file of the project.
fn optional(root: &Root, name: &str, max: u64, problems: &mut Vec<String>) -> Result<Vec<u8>, MemoryError> {
    let read = match root.read(&repo_path(name)?, max) {
        Err(VfsError::NotFound { .. }) => return Ok(Vec::new()),
        read => read,
    };
    Ok(read.unwrap_or_else(|error| {
        problems.push(format!("{name} is not used: {error}"));
        Vec::new()
    }))
}

impl Texts {
    /// Reads the texts of a project.
    pub(crate) fn read(project: &Path, home: &SharedFolder) -> Result<Self, MemoryError> {
        let root = Root::open(project)?;
        let memory_path = repo_path(MEMORY_FILE)?;
        let memory = root.read(&memory_path, MAX_MEMORY)?;
        let modified = root.metadata(&memory_path)?.mtime_ns;
        Self::around(memory, modified, project, home)
    }

    /// The texts other than `MEMORY.md`, for when that cannot be read.
    pub(crate) fn without_memory(project: &Path, home: &SharedFolder) -> Result<Self, MemoryError> {
        Self::around(Vec::new(), 0, project, home)
    }

    fn around(memory: Vec<u8>, modified: i64, project: &Path, home: &SharedFolder) -> Result<Self, MemoryError> {
        let root = Root::open(project)?;
        let mut problems = Vec::new();
        Ok(Self {
            memory,
            archives: archives(project, &mut problems),
            session: optional(&root, SESSION_FILE, MAX_SESSION, &mut problems)?,
            own_settings: optional(&root, &format!("{FOLDER}/{SETTINGS_FILE}"), MAX_SETTINGS, &mut problems)?,
            user_settings: read_stored(home.read(SETTINGS_FILE, MAX_SETTINGS), SETTINGS_FILE, &mut problems),
            noted: NotedFile::of(project).read_packed(),
            global: read_stored(GlobalEdges::bytes(home), EDGES_FILE, &mut problems),
            standing: Standing::of(project, home, &mut problems),
            main: MainTexts::read(project, home, &mut problems),
            problems,
            modified: Timestamp::from_nanosecond(modified.into()).unwrap_or(Timestamp::UNIX_EPOCH),
            today: Zoned::now().date(),
        })
    }

    /// The settings of both files, and their problems.
    fn settings(&self) -> (Settings, Vec<String>) {
        let mut settings = Settings::default();
        let mut problems = Vec::new();
        for (bytes, owner) in [(&self.user_settings, Owner::User), (&self.own_settings, Owner::Project)] {
            let found = settings.apply(&String::from_utf8_lossy(bytes), owner);
            problems.extend(found.into_iter().map(|problem| format!("{SETTINGS_FILE}: {problem}")));
        }
        (settings, problems)
    }

    /// Parses a file of memories.
    fn parse(&self, project: &str, kind: SourceKind, file: &str, text: &[u8]) -> Parsed {
        parse(&String::from_utf8_lossy(text), &ParseContext { project, today: self.today, kind, file })
    }

    /// Parses `MEMORY.md` and removes forgotten gotchas. Reuses the result of `before` if the text is the same.
    fn parse_memory(
        &self,
        project: &str,
        settings: &Settings,
        values: &Values,
        before: Option<&ProjectMemory>,
    ) -> Parsed {
        let approved = &self.standing.approved;
        let hash = ContentHash::of(&self.memory);
        let is_same = |before: &&ProjectMemory| {
            let forgotten = &before.standing.approved.forgotten;
            before.hash == hash && before.today == self.today && *forgotten == approved.forgotten
        };
        let mut parsed = match before.filter(is_same) {
            Some(before) => before.parsed.clone(),
            None => self.parse(project, SourceKind::MemoryFile, MEMORY_FILE, &self.memory),
        };
        if settings.redact {
            redact_parsed(&mut parsed, values);
        }
        parsed.gotchas.retain(|gotcha| !approved.is_forgotten(gotcha.id));
        parsed
    }

    /// The memories of all texts.
    fn records(&self, project: &str, parsed: &Parsed, told: &Told<'_>) -> Memories {
        let standing = &self.standing;
        // Of a memory that both have, the one of the main work tree counts: it may have been resolved since.
        let mut records = self.main.as_ref().map(|main| main.parse(self, project)).unwrap_or_default();
        records.extend(parsed.records.iter().cloned());
        for (path, bytes) in &self.archives {
            records.extend(self.parse(project, SourceKind::Archive, path, bytes).records);
        }
        let mut hidden = add_gathered(&mut records, told.noted, told.settings, &standing.approved);
        let links = sessions::promote(&mut records, told.notes, project, self.today);
        let is_forgotten = |record: &mut Record| standing.approved.is_forgotten(record.id);
        hidden.extend(records.extract_if(.., is_forgotten));
        date_records(&mut hidden, told, self.modified);
        let dates = date_records(&mut records, told, self.modified);
        let is_told = |record: &Record| {
            !standing.is_own
                || Path::new(&*record.source.file).is_absolute()
                || approval::trust(record, true, told.approved) != Trust::Unapproved
        };
        let (records, dates) = close_told(records, dates, is_told);
        Memories { records, hidden, dates, links }
    }

    /// The secrets of the files of memories.
    fn secrets(&self) -> Values {
        let archives = self.archives.iter().map(|(_, bytes)| &**bytes);
        let main = self
            .main
            .iter()
            .flat_map(|main| std::iter::once(&*main.memory).chain(main.archives.iter().map(|(_, bytes)| &**bytes)));
        values_of([&*self.memory, &*self.session].into_iter().chain(archives).chain(main))
    }

    /// A hash of all texts: equal texts give equal memories.
    pub(crate) fn key(&self) -> ContentHash {
        let mut all = Vec::new();
        let mut put = |bytes: &[u8]| all.extend_from_slice(ContentHash::of(bytes).as_bytes());
        put(&self.memory);
        put(&self.session);
        put(&self.own_settings);
        put(&self.user_settings);
        put(&self.noted);
        put(&self.global);
        put(self.standing.key().as_bytes());
        if let Some(main) = &self.main {
            put(&main.memory);
            put(&main.noted);
            put(&[u8::from(main.is_own)]);
            main.archives.iter().for_each(|(_, bytes)| put(bytes));
        }
        put(self.today.to_string().as_bytes());
        put(self.modified.to_string().as_bytes());
        for (path, bytes) in &self.archives {
            put(path.as_bytes());
            put(bytes);
        }
        put(self.problems.join("\n").as_bytes());
        ContentHash::of(&all)
    }
}

pub(crate) fn repo_path(text: &str) -> Result<RepoPath, MemoryError> {
    RepoPath::new(text).map_err(|error| MemoryError::Invalid(error.to_string()))
}

impl ProjectMemory {
    /// Reads the memories of a project.
    ///
    /// # Errors
    /// [`MemoryError::Files`] if `MEMORY.md` cannot be read.
    pub fn read(project: &Path, home: &SharedFolder) -> Result<Self, MemoryError> {
        Ok(Self::of(project, Texts::read(project, home)?, None))
    }

    /// Derives the memories from the texts. Reuses the parts of `before`, read earlier, that are the same.
    pub(crate) fn of(project: &Path, texts: Texts, before: Option<&Self>) -> Self {
        let (settings, mut problems) = texts.settings();
        problems.extend(texts.problems.iter().cloned());
        // One memory has one id in all work trees of its repository.
        let main = texts.main.as_ref().map_or(project, |main| &*main.project);
        let key = main.to_string_lossy().into_owned();
        let values = if settings.redact { texts.secrets() } else { Values::default() };
        let parsed = texts.parse_memory(&key, &settings, &values, before);
        problems.extend(parsed.problems.iter().map(in_words));
        let mut noted = NotedFile::unpack(&texts.noted);
        if let Some(main) = &texts.main {
            // The code that a memory was about when it was first seen there.
            for (id, seen) in NotedFile::unpack(&main.noted).records {
                noted.records.entry(id).or_insert(seen);
            }
        }
        let approved = texts.standing.approved.among(&noted);
        let mut notes = session_notes(&String::from_utf8_lossy(&texts.session));
        if settings.redact {
            redact_notes(&mut notes, &values);
        }
        let told = Told { noted: &noted, settings: &settings, approved: &approved, notes: &notes, values: &values };
        let Memories { records, hidden, dates, links } = texts.records(&key, &parsed, &told);
        let records: Arc<[Record]> = records.into();
        let is_same = |before: &&Self| before.records == records && before.settings.embedder == settings.embedder;
        let recall = before.filter(is_same).map(|before| before.recall.clone());
        let sessions = sessions::of(&parsed, &records, &noted, &settings);
        let stack = stack::with_stated(&noted.stack, &parsed.project_state.stack);
        let global = GlobalEdges::of(&texts.global).unwrap_or_else(|why| {
            problems.push(format!("{EDGES_FILE} is not used: {why}"));
            GlobalEdges::default()
        });
        Self {
            path: project.to_owned(),
            name: name_of(project),
            settings,
            problems,
            parsed,
            records,
            hidden,
            dates,
            notes,
            sessions,
            stack,
            modified: texts.modified,
            today: texts.today,
            global,
            bytes: texts.memory.len() as u64,
            hash: ContentHash::of(&texts.memory),
            noted,
            main: MainTree::of(&texts, &key),
            key,
            standing: texts.standing,
            approved,
            links,
            recall: recall.unwrap_or_default(),
            matcher: OnceLock::new(),
            relations: OnceLock::new(),
        }
    }

    /// Relations between memories, computed on first use.
    pub fn relations(&self) -> &[Relation] {
        self.relations.get_or_init(|| {
            let mut found = relations(&self.records);
            found.extend(self.links.iter().cloned());
            found
        })
    }

    /// Search index over the memories, built on first use.
    pub fn recall(&self) -> &Recall {
        let make = || match self.settings.embedder == WORDS {
            true => Recall::by_words(self.records.clone()),
            false => Recall::new(self.records.clone()),
        };
        self.recall.get_or_init(|| Arc::new(make()))
    }

    /// Matcher of plans and code against all gotchas that apply here, built on first use.
    pub fn matcher(&self) -> &EdgeMatcher {
        let own = &self.parsed.gotchas;
        let of_main = self.main.iter().flat_map(|main| &main.gotchas);
        let of_main = of_main.filter(|gotcha| own.iter().all(|other| other.id != gotcha.id));
        let gotchas: Vec<GotchaBullet> = own.iter().chain(of_main).cloned().collect();
        let make = || EdgeMatcher::new(self.global.edges(), self.settings.builtin_edges, &gotchas);
        self.matcher.get_or_init(make)
    }

    /// Whether the user of this machine approved the project: registered it, created its memory or approved it.
    #[must_use]
    pub const fn is_own(&self) -> bool {
        self.standing.is_own
    }

    /// Places of the memories that are new since a time, the newest first: those first seen later or, if that is not
    /// known, dated on that day or later.
    pub fn since(&self, time: Timestamp) -> Vec<usize> {
        let day = time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d").to_string();
        let is_new = |&at: &usize| {
            let seen = self.noted.records.get(&self.records[at].id).map(|seen| seen.first);
            // What was there at the first look may be of any age.
            match seen.filter(|first| self.noted.began > 0 && *first > self.noted.began) {
                Some(first) => first > time.as_second(),
                None => self.dates[at].get(..day.len()) >= Some(day.as_str()),
            }
        };
        let mut found: Vec<usize> = (0..self.records.len()).filter(is_new).collect();
        found.sort_by(|&a, &b| self.dates[b].cmp(&self.dates[a]).then(a.cmp(&b)));
        found
    }

    /// The project whose file new memories are written to: what is added in a work tree stays when that goes.
    pub(crate) fn project_to_write_to(&self) -> &Path {
        self.main.as_ref().filter(|main| main.is_own).map_or(&self.path, |main| &main.project)
    }

    /// How far a memory may be shown to a caller who did not ask for it.
    #[must_use]
    pub fn trust(&self, record: &Record) -> Trust {
        if self.main.as_ref().is_some_and(|main| main.has(record)) {
            return Trust::Own;
        }
        approval::trust(record, self.is_own(), &self.approved)
    }

    /// Whether it is a work tree of an approved project, recognised by its texts.
    pub(crate) const fn is_linked(&self) -> bool {
        self.standing.approved.is_linked
    }

    /// Whether the folder now holds another repository than the approved one.
    #[must_use]
    pub const fn is_replaced(&self) -> bool {
        self.standing.is_replaced
    }

    /// The notices that an answer must carry: problems of its files, a replaced repository, files that were not read.
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        let replaced = self.is_replaced().then(|| REPLACED.to_owned());
        let files = self.noted.not_looked as usize;
        let cut = (files > 0).then(|| {
            format!(
                "{} not looked at for `MEMORY:` comments: {MAX_FILES} others have some, and more are not kept",
                count(files, "file")
            )
        });
        self.problems.iter().cloned().chain(replaced).chain(cut)
    }

    /// Whether a memory may be shown to a caller who did not ask for it.
    #[must_use]
    pub fn is_told(&self, record: &Record) -> bool {
        self.trust(record) != Trust::Unapproved
    }

    /// Comments and commits that hold memories, and whether each is approved.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        approval::list_sources(&self.noted, &self.standing.approved)
    }

    /// Whether the user wants no block in the files of the project.
    pub(crate) const fn is_without_block(&self) -> bool {
        self.standing.approved.without_block
    }

    /// Tags of its stack, in the form of the registry.
    #[must_use]
    pub fn stack_tags(&self) -> Vec<String> {
        self.stack.iter().map(|tag| tag.to_string()).collect()
    }

    /// Number of memories in the file, its archive, comments and commit messages.
    #[must_use]
    pub fn source_counts(&self) -> [usize; 4] {
        let kinds = [SourceKind::MemoryFile, SourceKind::Archive, SourceKind::Comment, SourceKind::Commit];
        kinds.map(|kind| self.records.iter().filter(|record| record.source.kind == kind).count())
    }
}

impl MainTree {
    fn of(texts: &Texts, key: &str) -> Option<Self> {
        let main = texts.main.as_ref()?;
        let own = || texts.parse(key, SourceKind::MemoryFile, MEMORY_FILE, &main.memory).gotchas;
        Some(Self {
            records: main.parse(texts, key).iter().map(|record| record.id).collect(),
            gotchas: if main.is_own { own() } else { Vec::new() },
            project: main.project.clone(),
            is_own: main.is_own,
        })
    }

    /// Returns whether a memory is one of its files.
    pub(crate) fn has(&self, record: &Record) -> bool {
        self.records.contains(&record.id)
    }
}

/// The message about text that the parser could not use.
fn in_words(problem: &ParseProblem) -> String {
    match problem.line {
        0 => format!("{MEMORY_FILE}: {}", problem.detail),
        line => format!("{MEMORY_FILE}:{line}: {}", problem.detail),
    }
}

/// Adds the memories of comments and commits. Drops duplicates and those below the minimum confidence; takes out
/// forgotten ones, and returns them.
fn add_gathered(records: &mut Vec<Record>, noted: &Noted, settings: &Settings, approved: &Approved) -> Vec<Record> {
    if settings.include_code_comments {
        records.extend(noted.files.values().flat_map(|file| file.records.iter().cloned()));
    }
    if settings.include_git {
        records.extend(noted.commits.iter().flat_map(|commit| commit.records.iter().cloned()));
    }
    let mut taken = rustc_hash::FxHashSet::default();
    let least = if settings.include_low_confidence { settings.confidence_threshold } else { MEDIUM_CONFIDENCE };
    records.retain(|record| (record.is_key || record.confidence >= least) && taken.insert(record.id));
    records.extract_if(.., |record| approved.is_forgotten(record.id)).collect()
}

/// Fills in the day of each memory and removes secrets. Returns the time of each.
fn date_records(records: &mut [Record], told: &Told<'_>, modified: Timestamp) -> Vec<String> {
    let Told { noted, settings, values, .. } = *told;
    let zone = TimeZone::system();
    let of = |record: &mut Record| {
        if settings.redact {
            redact_record(record, values);
        }
        let seen = noted.records.get(&record.id).and_then(|seen| Timestamp::from_second(seen.first).ok());
        date_of(record, seen.unwrap_or(modified), &zone)
    };
    records.iter_mut().map(of).collect()
}

/// Applies fixes in other texts, which close issues. A text that is not approved closes nothing.
fn close_told(
    mut records: Vec<Record>,
    mut dates: Vec<String>,
    is_told: impl Fn(&Record) -> bool,
) -> (Vec<Record>, Vec<String>) {
    let told: Vec<usize> = (0..records.len()).filter(|&at| is_told(&records[at])).collect();
    let mut read: Vec<Record> = told.iter().map(|&at| records[at].clone()).collect();
    let taken = close_issues(&mut read);
    for (&at, record) in told.iter().zip(read) {
        records[at] = record;
    }
    for at in taken.into_iter().rev() {
        records.remove(told[at]);
        dates.remove(told[at]);
    }
    (records, dates)
}

/// The time a memory was written, with the zone. Fills in its day where the text gives none.
fn date_of(record: &mut Record, seen: Timestamp, zone: &TimeZone) -> String {
    let written = record.date.and_then(|date| date.to_zoned(zone.clone()).ok());
    let time = written.unwrap_or_else(|| seen.to_zoned(zone.clone()));
    // The day on which a gotcha was first seen says nothing about it: it holds until it is taken out.
    if record.kind != Kind::Gotcha {
        record.date.get_or_insert(time.date());
    }
    time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
