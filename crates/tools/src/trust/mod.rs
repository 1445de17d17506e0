//! Tools about how far answers can be trusted, and the way back where they cannot.

mod doctor;
mod evidence;
mod recovery_playbook;
mod session_handshake;
mod trust_selftest;

pub(crate) use doctor::Doctor;
pub(crate) use recovery_playbook::RecoveryPlaybook;
pub(crate) use session_handshake::SessionHandshake;
pub(crate) use trust_selftest::TrustSelftest;
