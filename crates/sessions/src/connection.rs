//! What one connection holds under all names: a name costs nothing, so the limit of an agent alone would let one
//! connection take all room of a project.

use std::collections::HashMap;

/// Maximum bytes of all values that one connection holds, under all names: half of what a project holds.
pub const CONNECTION_BYTES: u64 = 128 << 20;

/// Size and end of the values that this process stored, by their id.
#[derive(Debug, Default)]
pub(crate) struct OfConnection(HashMap<String, (u64, Option<u64>)>);

impl OfConnection {
    /// The bytes that would be held with a value of this size under an id, if that is more than the limit.
    pub(crate) fn excess(&mut self, id: &str, bytes: u64, now_ms: u64) -> Option<u64> {
        self.0.retain(|_, (_, expires_ms)| expires_ms.is_none_or(|end| end > now_ms));
        let others = self.0.iter().filter(|(known, _)| known.as_str() != id).map(|(_, (bytes, _))| bytes);
        let sum = others.sum::<u64>().saturating_add(bytes);
        (sum > CONNECTION_BYTES).then_some(sum)
    }

    /// Notes a value that was stored.
    pub(crate) fn note(&mut self, id: &str, bytes: u64, expires_ms: Option<u64>) {
        self.0.insert(id.to_owned(), (bytes, expires_ms));
    }

    /// Forgets a value that was removed.
    pub(crate) fn forget(&mut self, id: &str) {
        self.0.remove(id);
    }
}
