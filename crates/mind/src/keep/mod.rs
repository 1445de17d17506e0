//! What writes about memories.

pub(crate) mod add;
pub(crate) mod block;
pub(crate) mod boot;
pub(crate) mod gather;
pub(crate) mod keeper;
pub(crate) mod kept;
pub(crate) mod looking;
pub(crate) mod session_end;
pub(crate) mod setup;
pub(crate) mod tidy;
