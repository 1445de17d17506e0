//! One file a command.

pub mod call;
pub mod doctor;
pub mod ingest;
pub mod init;
pub mod serve;
pub mod status;
