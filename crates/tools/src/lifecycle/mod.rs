//! Tools for the start of a session: where to look, what is remembered, what to do next.

mod audit;
mod boot_memory;
mod federate;
mod federate_auto;
mod focus;
mod north;
mod orient;
mod persist;

pub(crate) use audit::Audit;
pub(crate) use boot_memory::BootMemory;
pub(crate) use federate::Federate;
pub(crate) use federate_auto::FederateAuto;
pub(crate) use focus::FocusTool;
pub(crate) use north::North;
pub(crate) use orient::Orient;
pub(crate) use persist::Persist;
