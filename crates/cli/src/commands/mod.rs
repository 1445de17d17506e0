//! The commands, one file each.

mod bundle;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod docs;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod ingest;
pub(crate) mod init;
mod junit;
pub(crate) mod lock;
pub(crate) mod map;
pub(crate) mod memory;
pub(crate) mod open;
pub(crate) mod risk;
pub(crate) mod serve;
pub(crate) mod share;
pub(crate) mod status;
pub(crate) mod team;
pub(crate) mod trail;
pub(crate) mod uninstall;
pub(crate) mod upgrade;
pub(crate) mod verify;
pub(crate) mod workspace;
pub(crate) mod write;
