//! Search in paths and lines.

pub(in crate::retrieval) mod excerpt;
pub(in crate::retrieval) mod glob;
pub(in crate::retrieval) mod grep;
pub(in crate::retrieval) mod grep_passages;
pub(in crate::retrieval) mod indexed_files;
pub(in crate::retrieval) mod lines;
