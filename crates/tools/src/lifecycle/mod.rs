//! Tools for the start of a session: where to look, what is remembered, what to do next.

mod boot_memory;
mod focus;
mod north;
mod orient;

pub(crate) use boot_memory::BootMemory;
pub(crate) use focus::FocusTool;
pub(crate) use north::North;
pub(crate) use orient::Orient;
