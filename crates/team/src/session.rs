//! The commands: exchanges between a clone and its team, approvals, search.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::civil::Date;
use m1nd_base::{ContentHash, show_hidden};
use m1nd_memory::{Recall, RecallQuery, Record, RecordId, Source, SourceKind};
use m1nd_store::SharedFolder;
use serde::Serialize;

use crate::connection::Settings;
use crate::entry::{Collected, MemoryText, collect_entries};
use crate::error::Failure;
use crate::merge::{Known, learn, merge};
use crate::project::MEMORY_FILE;
use crate::remote::{FoundBy, Remote};
use crate::retry::Link;
use crate::state::CloneState;
use crate::text::{Received, append_entries};
use crate::{
    EntryId, EntryKind, MergePlan, Operation, Patience, Project, Queue, Refused, RemoteState, SearchQuery, TeamError,
    TeamRow, Waiting, Withheld,
};

/// Operations that are sent in one transaction.
const MAX_BATCH: usize = 500;
/// Hexadecimal digits of a folder's or file's name.
const KEY_DIGITS: usize = 16;
/// Folder of all teams, below that of m1nd.
const FOLDER: &str = "team";
/// Digits by which a memory can be named.
const MIN_DIGITS: usize = 8;

/// Settings of a session.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The folder of m1nd.
    pub home: PathBuf,
    /// Where the database is.
    pub settings: Settings,
    /// The team.
    pub team: String,
    /// How long to try again.
    pub patience: Patience,
    /// The day.
    pub today: Date,
}

/// Direction of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Memories of the text are sent.
    Push,
    /// Memories of the team are appended to the text.
    Pull,
    /// Both.
    Sync,
}

/// A memory in an answer. Its text was written by others: it is data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryRow {
    /// Its identity.
    pub id: EntryId,
    /// Its kind, if it is known here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<EntryKind>,
    /// Its title, with hidden characters made visible.
    pub title: String,
    /// Login of its author, for one of the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// File and line, for one that stands in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// What an exchange did.
#[derive(Clone, Debug, Serialize)]
pub struct Exchange {
    /// The team.
    pub team: String,
    /// The repository.
    pub repository: String,
    /// Operations that the database took now.
    pub sent: usize,
    /// Operations that wait in the queue for the database.
    pub queued: usize,
    /// Memories that were appended to the text.
    pub appended: Vec<MemoryRow>,
    /// Memories of others that wait for an approval.
    pub waiting: usize,
    /// Memories of the team that stood in this text and no longer do.
    pub gone: Vec<EntryId>,
    /// Memories that the team removed and that still stand in this text.
    pub removed: Vec<MemoryRow>,
    /// Memories of the team that cannot be written into this text.
    pub unwritable: Vec<EntryId>,
    /// Memories of the text that are not sent.
    pub withheld: Vec<Withheld>,
    /// Operations that the database refused for their content, with its reason.
    pub refused: Vec<String>,
    /// Why the database was not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offline: Option<String>,
}

/// State of a team and of the queue.
#[derive(Clone, Debug, Serialize)]
pub struct StatusAnswer {
    /// Server, database and login.
    pub database: String,
    /// The team; nothing while the database cannot be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamRow>,
    /// Memories of the team.
    pub memories: i64,
    /// Repositories of the team.
    pub repositories: i64,
    /// Memories that nobody approved.
    pub waiting: i64,
    /// Operations in the queue of this machine.
    pub queued: usize,
    /// Why the database was not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offline: Option<String>,
}

/// A memory that answers a question.
#[derive(Clone, Debug, Serialize)]
pub struct FoundRow {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryRow,
    /// Its repository.
    pub repository: String,
    /// Its line, with hidden characters made visible.
    pub line: String,
    /// The day it was written or stored.
    pub day: Date,
    /// Somebody approved it, or it is the login's own, or the team needs no approval.
    pub is_approved: bool,
    /// Relevance, 0 to 1.
    pub relevance: f32,
}

/// Answers to a question.
#[derive(Clone, Debug, Serialize)]
pub struct SearchAnswer {
    /// How they were found, before they were ranked.
    pub found_by: FoundBy,
    /// Memories that answer, before the limit.
    pub total: usize,
    /// The best of them.
    pub results: Vec<FoundRow>,
}

/// A session of a member. Opens a connection when a command needs one.
pub struct Session {
    runtime: tokio::runtime::Runtime,
    options: SessionOptions,
    link: Link,
    queue: Queue,
    folder: SharedFolder,
}

/// Runs a future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, TeamError> {
    Ok(new_runtime()?.block_on(future))
}

fn new_runtime() -> Result<tokio::runtime::Runtime, TeamError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| TeamError::Invalid(format!("cannot start: {error}")))
}

/// A short name of a text, for files.
fn key_of(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string().chars().take(KEY_DIGITS).collect()
}

impl Session {
    /// A session of a member of a team.
    ///
    /// # Errors
    /// [`TeamError::Invalid`] if the system gives no threads or timers.
    pub fn new(options: SessionOptions) -> Result<Self, TeamError> {
        let key = key_of(&format!("{}\0{}", options.settings.identity(), options.team));
        let folder = SharedFolder::new(options.home.join(FOLDER).join(key));
        let link = Link::new(options.settings.clone(), &options.team, options.patience);
        Ok(Self { runtime: new_runtime()?, link, queue: Queue::new(folder.clone()), folder, options })
    }

    fn run<T>(&mut self, work: impl AsyncFn(&mut Remote) -> Result<T, Failure>) -> Result<T, Failure> {
        self.runtime.block_on(self.link.run(work))
    }

    /// Like [`Session::run`], where the content of no row is at stake.
    fn ask<T>(&mut self, work: impl AsyncFn(&mut Remote) -> Result<T, Failure>) -> Result<T, TeamError> {
        self.run(work).map_err(|failure| match failure {
            Failure::Final(error) | Failure::Content(error) => error,
            Failure::Transient(detail) => TeamError::Offline { attempts: 1, detail },
        })
    }

    /// Exchanges memories between a clone and its team. Without the database, what is to be sent is queued.
    ///
    /// # Errors
    /// [`TeamError`]; a pull without the database is [`TeamError::Offline`].
    pub fn exchange(&mut self, project: &Project, mode: Mode) -> Result<Exchange, TeamError> {
        // 1. Read the text, and what is known from the last exchange.
        let key = key_of(&format!("{}\0{}", project.repository(), project.root().display()));
        let state = CloneState::new(self.folder.clone(), &key);
        let _lock = state.hold()?;
        let texts = project.read_texts()?;
        let views: Vec<MemoryText<'_>> = texts.iter().map(|text| text.view()).collect();
        let mut local = collect_entries(project.repository(), &views, self.options.today);
        let mut known = state.read()?;
        let mut done = self.start(project);
        // 2. Queue what is new, on disk, before anything else.
        if mode != Mode::Pull {
            let new = local.present.iter().filter(|id| known.get(id).is_none_or(|row| row.generation == 0));
            let new: Vec<EntryId> = new.copied().collect();
            self.enqueue(&local, &views, &new, &mut known, &mut done)?;
            state.write(&known)?;
        }
        // 3. Send the queue and compare.
        let compared = self.drain(&mut done).and_then(|()| self.compare(project, &local, &known));
        let (mut plan, mut remote) = match compared {
            Ok(compared) => compared,
            Err(TeamError::Offline { attempts, detail }) if mode == Mode::Push => {
                done.offline = Some(TeamError::Offline { attempts, detail }.to_string());
                done.queued = self.queue.len()?;
                return Ok(done);
            }
            Err(error) => return Err(error),
        };
        // 4. What was sent before and is not there: the database was restored from an older copy.
        if mode != Mode::Pull && !plan.send.is_empty() {
            let missing = std::mem::take(&mut plan.send);
            done.withheld.clear();
            self.enqueue(&local, &views, &missing, &mut known, &mut done)?;
            self.drain(&mut done)?;
            (plan, remote) = self.compare(project, &local, &known)?;
        }
        // 5. Append what is missing here, and note what is known now.
        if mode != Mode::Push {
            self.append(project, &plan.append, &mut local, &mut done)?;
        }
        learn(&mut known, &local.present, &remote);
        state.write(&known)?;
        report_differences(&plan, &local, &mut done);
        done.queued = self.queue.len()?;
        Ok(done)
    }

    fn start(&self, project: &Project) -> Exchange {
        Exchange {
            team: self.options.team.clone(),
            repository: project.repository().to_owned(),
            sent: 0,
            queued: 0,
            appended: Vec::new(),
            waiting: 0,
            gone: Vec::new(),
            removed: Vec::new(),
            unwritable: Vec::new(),
            withheld: Vec::new(),
            refused: Vec::new(),
            offline: None,
        }
    }

    fn enqueue(
        &self,
        local: &Collected,
        texts: &[MemoryText<'_>],
        ids: &[EntryId],
        known: &mut BTreeMap<EntryId, Known>,
        done: &mut Exchange,
    ) -> Result<(), TeamError> {
        let mut operations = Vec::new();
        for id in ids {
            match local.describe(*id, texts) {
                Ok(entry) => operations.push(Operation::Memory { entry }),
                Err(withheld) => done.withheld.push(withheld),
            }
        }
        self.queue.append(&operations)?;
        for operation in &operations {
            if let Operation::Memory { entry } = operation {
                let row = known.entry(entry.id).or_default();
                *row = Known { generation: row.generation.max(1), seen: true };
            }
        }
        Ok(())
    }

    /// Sends the queue, batch by batch. Each is removed once the database has committed it.
    fn drain(&mut self, done: &mut Exchange) -> Result<(), TeamError> {
        if self.queue.is_empty()? {
            return Ok(());
        }
        let _lock = self.queue.hold_to_send()?;
        loop {
            let operations = self.queue.first(MAX_BATCH)?;
            if operations.is_empty() {
                return Ok(());
            }
            match self.run(async |remote| remote.send(&operations).await) {
                Ok(()) => {
                    done.sent += operations.len();
                    self.queue.remove_first(operations.len())?;
                }
                Err(Failure::Content(_)) => self.send_one_by_one(operations, done)?,
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Transient(detail)) => return Err(TeamError::Offline { attempts: 1, detail }),
            }
        }
    }

    /// Sends a batch of which the database refused something: the rest must not wait for that.
    fn send_one_by_one(&mut self, operations: Vec<Operation>, done: &mut Exchange) -> Result<(), TeamError> {
        for operation in operations {
            match self.run(async |remote| remote.send(std::slice::from_ref(&operation)).await) {
                Ok(()) => done.sent += 1,
                Err(Failure::Content(error)) => {
                    done.refused.push(error.to_string());
                    self.queue.keep_refused(&Refused { operation, why: error.to_string() })?;
                }
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Transient(detail)) => return Err(TeamError::Offline { attempts: 1, detail }),
            }
            self.queue.remove_first(1)?;
        }
        Ok(())
    }

    fn compare(
        &mut self,
        project: &Project,
        local: &Collected,
        known: &BTreeMap<EntryId, Known>,
    ) -> Result<(MergePlan, BTreeMap<EntryId, RemoteState>), TeamError> {
        let remote = self.ask(async |remote| remote.read_states(project.repository()).await)?;
        Ok((merge(&local.present, known, &remote), remote))
    }

    /// Appends memories of the team to the text.
    fn append(
        &mut self,
        project: &Project,
        ids: &[EntryId],
        local: &mut Collected,
        done: &mut Exchange,
    ) -> Result<(), TeamError> {
        if ids.is_empty() {
            return Ok(());
        }
        let received = self.ask(async |remote| remote.read_memories(ids).await)?;
        let today = self.options.today;
        let repository = project.repository();
        let rendered = project.append(|before| {
            // What others wrote since the text was read is not written again.
            let text = MemoryText { file: MEMORY_FILE, kind: SourceKind::MemoryFile, content: before };
            let present = collect_entries(repository, &[text], today).present;
            let missing: Vec<Received> =
                received.iter().filter(|received| !present.contains(&received.entry.id)).cloned().collect();
            let mut rendered = append_entries(before, MEMORY_FILE, repository, &missing, today)?;
            let added = std::mem::take(&mut rendered.added);
            Ok((rendered, added))
        })?;
        local.present.extend(&rendered.written);
        let is_written = |received: &&Received| rendered.written.contains(&received.entry.id);
        done.appended = received.iter().filter(is_written).map(to_row).collect();
        done.unwritable = rendered.unwritable;
        Ok(())
    }

    /// State of the team and of the queue. Never fails for an outage.
    ///
    /// # Errors
    /// [`TeamError`] other than [`TeamError::Offline`].
    pub fn status(&mut self) -> Result<StatusAnswer, TeamError> {
        let asked = self.ask(async |remote| Ok((remote.row.clone(), remote.count().await?)));
        let (team, [memories, repositories, waiting], offline) = match asked {
            Ok((row, counts)) => (Some(row), counts, None),
            Err(error @ TeamError::Offline { .. }) => (None, [0; 3], Some(error.to_string())),
            Err(error) => return Err(error),
        };
        let database = self.options.settings.identity().to_owned();
        Ok(StatusAnswer { database, team, memories, repositories, waiting, queued: self.queue.len()?, offline })
    }

    /// Memories that nobody approved yet, the oldest first.
    ///
    /// # Errors
    /// [`TeamError`].
    pub fn list_waiting(&mut self, repository: Option<&str>) -> Result<Vec<Waiting>, TeamError> {
        self.ask(async |remote| remote.read_waiting(repository).await)
    }

    /// Approves memories, named by at least the first eight digits of their identities. Returns how many approvals are
    /// new.
    ///
    /// # Errors
    /// [`TeamError`]; nobody approves what they wrote.
    pub fn approve(&mut self, names: &[String]) -> Result<u64, TeamError> {
        let mut ids = Vec::new();
        for name in names {
            ids.push(self.find_id(name)?.0);
        }
        self.ask(async |remote| remote.approve(&ids).await).map_err(|error| match error {
            TeamError::Refused { code, .. } if code == "42501" => {
                let why = "needs a member of the level `approve`, and another one than the author";
                TeamError::Invalid(format!("an approval {why}; nothing was approved"))
            }
            error => error,
        })
    }

    /// Removes a memory from the team, or brings it back. Texts of clones are not changed.
    ///
    /// # Errors
    /// [`TeamError`]; [`TeamError::Offline`] before anything was queued, or with the change in the queue.
    pub fn set_present(&mut self, name: &str, is_present: bool) -> Result<bool, TeamError> {
        let (id, generation) = self.find_id(name)?;
        if generation.is_multiple_of(2) != is_present {
            return Ok(false);
        }
        self.queue.append(&[Operation::Change { id, generation: generation + 1 }])?;
        let mut done = Vec::new();
        let _lock = self.queue.hold_to_send()?;
        // Only through the queue, so that an outage in between loses nothing.
        while !self.queue.is_empty()? {
            let operations = self.queue.first(MAX_BATCH)?;
            self.ask(async |remote| remote.send(&operations).await)?;
            self.queue.remove_first(operations.len())?;
            done.push(operations.len());
        }
        Ok(true)
    }

    fn find_id(&mut self, name: &str) -> Result<(EntryId, u32), TeamError> {
        let digits = name.to_ascii_lowercase();
        let is_name = digits.len() >= MIN_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_name {
            let why =
                format!("`{}` is not an id, expected at least {MIN_DIGITS} hexadecimal digits", show_hidden(name));
            return Err(TeamError::Invalid(why));
        }
        let found = self.ask(async |remote| remote.find_ids(&digits).await)?;
        match found.as_slice() {
            [only] => Ok(*only),
            [] => Err(TeamError::Invalid(format!("the team has no memory `{digits}`"))),
            _ => Err(TeamError::Invalid(format!("several memories begin with `{digits}`; write more digits"))),
        }
    }

    /// Searches the memories of all repositories of the team.
    ///
    /// # Errors
    /// [`TeamError`].
    pub fn search(&mut self, query: &SearchQuery, limit: usize) -> Result<SearchAnswer, TeamError> {
        let (candidates, found_by) = self.ask(async |remote| remote.find_candidates(query).await)?;
        let records: Vec<Record> =
            candidates.iter().enumerate().map(|(number, found)| to_record(number, &found.received)).collect();
        let recall = Recall::new(Arc::from(records));
        let asked = RecallQuery { limit, today: Some(self.options.today), ..RecallQuery::new(&query.text) };
        let recalled = recall.search(&asked);
        let results = recalled.hits.iter().map(|hit| {
            let found = &candidates[hit.record];
            let Received { entry, stored, .. } = &found.received;
            FoundRow {
                memory: to_row(&found.received),
                repository: show_hidden(&entry.repository).into_owned(),
                line: show_hidden(&entry.line).into_owned(),
                day: entry.day.unwrap_or(*stored),
                is_approved: found.is_approved,
                relevance: hit.relevance,
            }
        });
        Ok(SearchAnswer { found_by, total: recalled.total, results: results.collect() })
    }
}

/// What differs between the two sides after an exchange.
fn report_differences(plan: &MergePlan, local: &Collected, done: &mut Exchange) {
    done.waiting = plan.waiting.len();
    done.gone.clone_from(&plan.gone);
    let row = |id: &EntryId| MemoryRow {
        id: *id,
        kind: None,
        title: show_hidden(local.title(*id)).into_owned(),
        author: None,
        place: local.place(*id).map(|(file, line)| format!("{file}:{line}")),
    };
    done.removed = plan.removed.iter().map(row).collect();
}

fn to_row(received: &Received) -> MemoryRow {
    MemoryRow {
        id: received.entry.id,
        kind: Some(received.entry.kind),
        title: show_hidden(&received.entry.title).into_owned(),
        author: Some(show_hidden(&received.author).into_owned()),
        place: None,
    }
}

/// A memory as the ranking takes it. Its number is its identity there.
fn to_record(number: usize, received: &Received) -> Record {
    let Received { entry, stored, .. } = received;
    let source = Source { kind: SourceKind::MemoryFile, file: entry.repository.as_str().into(), line: 0 };
    let id = RecordId(number as u64);
    let mut record = Record::new(id, entry.kind.of_memory(), &entry.title, source);
    record.content = entry.line.as_str().into();
    record.reasoning = Some(entry.reason.as_str()).filter(|reason| !reason.is_empty()).map(Into::into);
    record.date = Some(entry.day.unwrap_or(*stored));
    record
}
