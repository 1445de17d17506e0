//! From bytes to messages, and back.

pub(crate) mod framing;
pub(crate) mod message;
pub(crate) mod scan;
pub(crate) mod transport;
