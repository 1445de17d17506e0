//! Histories and checkouts of a fetched git folder at any commit, made without running git.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_base::{Cancel, NoProgress, RepoPath};
use m1nd_engine::{Engine, EngineConfig, IngestRequest};
use m1nd_history::{Contents, GitFolder, History, ReadLimits, read};
use m1nd_query::changes::predict::FileLinks;
use tempfile::TempDir;

use crate::Outcome;

/// Time limit of reading a history.
const TIME: Duration = Duration::from_secs(600);

/// A fetched git folder, seen through a folder of its own whose `HEAD` can be any commit.
pub(in crate::eval) struct Mirror {
    folder: TempDir,
    name: String,
}

impl Mirror {
    /// `DIR/<owner>+<name>/repo`, or the folder without `repo`.
    pub(in crate::eval) fn open(mirror: &Path, repository: &str) -> Outcome<Self> {
        let name = repository.replace('/', "+");
        let inner = mirror.join(&name).join("repo");
        let source = if inner.is_dir() { inner } else { mirror.join(&name) };
        let objects =
            fs::canonicalize(source.join("objects")).map_err(|error| format!("{}: {error}", source.display()))?;
        let folder = TempDir::new()?;
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("objects/info"))?;
        fs::write(git.join("objects/info/alternates"), format!("{}\n", objects.display()))?;
        let head = fs::read_to_string(source.join("HEAD"))?;
        fs::write(git.join("HEAD"), &head)?;
        if let Ok(packed) = fs::read(source.join("packed-refs")) {
            fs::write(git.join("packed-refs"), packed)?;
        }
        if let Some(branch) = head.trim().strip_prefix("ref:").map(str::trim)
            && let Ok(commit) = fs::read(source.join(branch))
        {
            fs::create_dir_all(git.join(branch).parent().unwrap_or(&git))?;
            fs::write(git.join(branch), commit)?;
        }
        Ok(Self { folder, name })
    }

    /// The contents of its commits.
    pub(in crate::eval) fn contents(&self) -> Outcome<Contents> {
        Ok(Contents::open(&self.git()?)?)
    }

    /// The git folder.
    pub(in crate::eval) fn git(&self) -> Outcome<GitFolder> {
        Ok(GitFolder::find(&fs::canonicalize(self.folder.path())?)?)
    }

    /// The history up to the checked-out commit, as long as the engine reads it.
    pub(in crate::eval) fn history(&self) -> Outcome<History> {
        self.read(ReadLimits::default().commits, None)
    }

    /// The history up to a commit, as long as the engine reads it.
    pub(in crate::eval) fn history_at(&self, commit: &str, known: Option<&History>) -> Outcome<History> {
        self.check_out_at(commit)?;
        self.read(ReadLimits::default().commits, known)
    }

    /// The whole history up to a commit.
    pub(in crate::eval) fn whole_history_at(&self, commit: &str, known: Option<&History>) -> Outcome<History> {
        self.check_out_at(commit)?;
        self.read(usize::MAX, known)
    }

    fn check_out_at(&self, commit: &str) -> Outcome<()> {
        Ok(fs::write(self.folder.path().join(".git/HEAD"), format!("{commit}\n"))?)
    }

    fn read(&self, commits: usize, known: Option<&History>) -> Outcome<History> {
        let git = self.git()?;
        Ok(read(&git, &git.head()?, known, &ReadLimits { time: TIME, commits }, &Cancel::new())?)
    }

    /// The connections between files in the code of a commit. Checkouts and indexes are kept.
    pub(in crate::eval) fn links_at(&self, commit: &str, checkouts: &Path) -> Outcome<FileLinks> {
        Ok(FileLinks::of(self.engine_at(commit, checkouts)?.snapshot().graph()))
    }

    /// The index of the code of a commit. Checkouts and indexes are kept.
    pub(in crate::eval) fn engine_at(&self, commit: &str, checkouts: &Path) -> Outcome<Engine> {
        let root = checkouts.join(format!("{}-{}", self.name, &commit[..commit.len().min(12)]));
        if !root.is_dir() {
            self.check_out(commit, &root)?;
        }
        let engine = Engine::open(EngineConfig::new(checkouts.join(".index"), vec![root.clone()]))?;
        if engine.snapshot().is_empty() {
            engine.ingest(IngestRequest::code(root), &Cancel::new(), &NoProgress)?;
        }
        Ok(engine)
    }

    fn check_out(&self, commit: &str, root: &Path) -> Outcome<()> {
        let git = self.git()?;
        let contents = Contents::open(&git)?;
        let commit = contents.resolve(&git, commit)?;
        let partial: PathBuf = root.with_extension("partial");
        for file in contents.files(commit, &Cancel::new())? {
            // Paths of a repository are not trusted: only those that stay inside.
            let (Ok(path), Some(content)) = (RepoPath::new(&file.path), contents.blob(file.blob)) else { continue };
            let target = partial.join(path.as_str());
            fs::create_dir_all(target.parent().unwrap_or(&partial))?;
            fs::write(target, &*content)?;
        }
        Ok(fs::rename(partial, root)?)
    }
}
