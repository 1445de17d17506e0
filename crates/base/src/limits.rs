use std::time::Duration;

/// Every bound on the work that untrusted input can cause, in one place. All can be overridden by the caller.
///
/// Going over a limit is never a failure of the run and never silent: the file gets a [`Problem`](crate::Problem).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// A larger file is not parsed (it stays a file node and can be searched), in bytes.
    pub parse_bytes: usize,
    /// A larger file is not read at all, in bytes.
    pub read_bytes: u64,
    /// Parse time that any file gets: time that the parsing thread itself runs (on Linux and macOS; elsewhere time that
    /// passes), so that a busy machine loses no files.
    pub parse_time: Duration,
    /// Parse time added for each MiB of the file.
    pub parse_time_per_mib: Duration,
    /// Entries of the parser's stack: two to five for each thing that is open at a place of the file. A file that
    /// needs more is not parsed. Compilers have such bounds, too: code needs less than 1,500, fragments for inclusion,
    /// which are rows of errors to the parser, up to 10,000.
    pub parse_depth: u64,
    /// Memory that the parser of any file gets, in bytes. Code of people needs up to 100 bytes for each of its own,
    /// code of programs up to 250.
    pub parse_memory: u64,
    /// Memory of the parser added for each byte of the file, in bytes.
    pub parse_memory_per_byte: u64,
    /// Deepest syntax tree that is walked, in nodes from the root.
    pub tree_depth: u32,
    /// Facts (definitions, bindings, expressions, references) kept of one file.
    pub facts_per_file: usize,
    /// A file with a longer line is taken for generated or minified and not parsed, in bytes.
    pub line_bytes: usize,
    /// Nodes of the whole graph; files past it are reported as skipped.
    pub graph_nodes: usize,
    /// Deepest folder that is walked, counted from the root.
    pub folder_depth: usize,
    /// Files of one root.
    pub files: usize,
    /// Links followed in one go while one reference is evaluated (assignments, calls, members, bases, re-exports).
    /// Bounds the call stack: a link run needs less than 2 MiB with it.
    pub link_depth: u32,
    /// Evaluation steps spent on one reference before it is left unresolved with that reason.
    pub link_steps: u32,
    /// Things looked at (scopes, bindings, imports, values) while one file is linked; what is left then stays
    /// unresolved with that reason.
    pub link_work: u64,
    /// Candidates kept of a reference that may go to several targets.
    pub link_candidates: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            parse_bytes: 1 << 20,
            read_bytes: 64 << 20,
            parse_time: Duration::from_millis(250),
            parse_time_per_mib: Duration::from_secs(2),
            parse_depth: 12_288,
            parse_memory: 48 << 20,
            parse_memory_per_byte: 144,
            tree_depth: 100_000,
            facts_per_file: 200_000,
            line_bytes: 1 << 20,
            graph_nodes: 20_000_000,
            folder_depth: 256,
            files: 2_000_000,
            link_depth: 96,
            link_steps: 4_000,
            link_work: 20_000_000,
            link_candidates: 8,
        }
    }
}

impl Limits {
    /// Memory granted to the parser of a file of `bytes` bytes.
    pub fn parse_memory_of(&self, bytes: usize) -> u64 {
        self.parse_memory.saturating_add(self.parse_memory_per_byte.saturating_mul(bytes as u64))
    }

    /// Parse time granted to a file of `bytes` bytes.
    pub fn parse_time_of(&self, bytes: usize) -> Duration {
        let mib = bytes as f64 / (1 << 20) as f64;
        self.parse_time + self.parse_time_per_mib.mul_f64(mib)
    }
}
