//! Values kept between calls under generated ids: perspectives, investigations, locks.
//!
//! [`Held::KIND`] sets the limits on number and size, the lifetime and the access rules of a type of value. Changes are
//! compare-and-set on a version, so that concurrent calls do not overwrite each other.

use std::time::Duration;

use m1nd_store::{Expiry, HandleLimits, HandleQuery, HandleWrite, StoredHandle};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::common::shorten_text;
use crate::connection::CONNECTION_BYTES;
use crate::id::{self, Ids};
use crate::{MAX_NAME, SessionError, Sessions};

/// Maximum bytes of all values of one agent, over all kinds.
pub const OWNER_BYTES: u64 = 32 << 20;
/// Maximum bytes of all values of all agents of a project.
pub const PROJECT_BYTES: u64 = 256 << 20;
/// Time for which expired handles are remembered, in milliseconds: a week.
pub const EXPIRED_KEPT_MS: u64 = 7 * 24 * 60 * 60 * 1_000;
/// Maximum expired handles that are remembered.
pub const EXPIRED_KEPT: usize = 10_000;
/// Maximum attempts of [`Sessions::update`] if other calls change the value meanwhile.
pub const UPDATE_TRIES: usize = 8;

/// A type of value that agents hold. Stored as JSON: fields added later need a default, and non-finite numbers are not
/// allowed.
pub trait Held: Serialize + DeserializeOwned {
    /// The kind of its handles.
    const KIND: Kind;
    /// The form of its ids.
    const IDS: Ids = Ids::Random;
}

/// Common properties of the handles of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Unique and stable name, for people and the store: `perspective`.
    pub name: &'static str,
    /// Prefix of ids: `persp`.
    pub prefix: &'static str,
    /// Which agents may read, change and remove one.
    pub access: Access,
    /// Time from the last change to expiry; `None` if handles are kept until removed.
    pub lifetime: Option<Duration>,
    /// Maximum handles per agent.
    pub max_per_owner: usize,
    /// Maximum size of a value, in bytes of JSON.
    pub max_bytes: u64,
}

/// Which agents may use a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The agent that created it.
    Owner,
    /// Every agent may read it, only the agent that created it may change or remove it.
    OwnerChanges,
    /// Every agent that knows its id. It still counts towards the limits of its owner.
    Everyone,
}

/// A value that an agent holds, as last read or written.
#[derive(Debug, Clone, PartialEq)]
pub struct Handle<T> {
    /// Its id on the wire.
    pub id: String,
    /// The agent that created it.
    pub owner: String,
    /// Time of creation, in milliseconds since 1970.
    pub created_ms: u64,
    /// Time of the last change, in milliseconds since 1970.
    pub changed_ms: u64,
    /// Time of expiry unless changed before, in milliseconds since 1970; `None` if it does not expire.
    pub expires_ms: Option<u64>,
    /// Version, starting at 1 and incremented by each change.
    pub version: u64,
    /// Size of the stored value, in bytes.
    pub bytes: u64,
    /// The value.
    pub value: T,
    lifetime_ms: Option<u64>,
}

/// A handle whose value this version of m1nd cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Its id.
    pub id: String,
    /// The reason.
    pub detail: String,
}

/// Handles of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// Readable handles, last changed first.
    pub handles: Vec<Handle<T>>,
    /// Unreadable handles, in the same order.
    pub unreadable: Vec<Unreadable>,
}

impl<T: Held> Handle<T> {
    fn read(stored: StoredHandle) -> Result<Self, Unreadable> {
        match serde_json::from_str(&stored.value) {
            Ok(value) => Ok(Self::of(stored, value)),
            Err(error) => Err(Unreadable { id: stored.id, detail: error.to_string() }),
        }
    }

    fn of(stored: StoredHandle, value: T) -> Self {
        Self {
            expires_ms: stored.expires_ms(),
            bytes: stored.value.len() as u64,
            id: stored.id,
            owner: stored.owner,
            created_ms: stored.created_ms,
            changed_ms: stored.changed_ms,
            lifetime_ms: stored.lifetime_ms,
            version: stored.version,
            value,
        }
    }
}

impl Sessions {
    /// Stores a value under a new id, for the lifetime of its kind.
    ///
    /// # Errors
    /// [`SessionError::TooMany`], [`SessionError::TooLarge`], [`SessionError::Full`] and those of the system.
    pub fn mint<T: Held>(&self, agent: &str, value: T) -> Result<Handle<T>, SessionError> {
        self.mint_for(agent, value, T::KIND.lifetime)
    }

    /// Like [`Sessions::mint`], with its own lifetime; `None` if it does not expire.
    ///
    /// # Errors
    /// Like [`Sessions::mint`].
    pub fn mint_for<T: Held>(
        &self,
        agent: &str,
        value: T,
        lifetime: Option<Duration>,
    ) -> Result<Handle<T>, SessionError> {
        let (now_ms, owner) = (self.clock.now_ms(), shorten_text(agent, MAX_NAME));
        let stored = StoredHandle {
            id: id::mint(T::KIND.prefix, &owner, T::IDS, now_ms)?,
            kind: T::KIND.name.to_owned(),
            owner,
            created_ms: now_ms,
            changed_ms: now_ms,
            lifetime_ms: lifetime.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            version: 1,
            value: serialize_value(&value)?,
        };
        self.check_connection::<T>(&stored, now_ms)?;
        let expiry = Expiry { now_ms, remembered_ms: EXPIRED_KEPT_MS, remembered: EXPIRED_KEPT };
        check_write::<T>(self.store.add_handle(&stored, &limits::<T>(), &expiry)?, &stored)?;
        self.note_held(&stored);
        Ok(Handle::of(stored, value))
    }

    /// Returns a value by its id, for an agent that may use it.
    ///
    /// # Errors
    /// [`SessionError::Unknown`], [`SessionError::Expired`], [`SessionError::NotYours`], [`SessionError::Unreadable`]
    /// and those of the store.
    pub fn get<T: Held>(&self, agent: &str, id: &str) -> Result<Handle<T>, SessionError> {
        let stored = self.usable::<T>(agent, id, T::KIND.access == Access::Owner)?;
        Handle::read(stored).map_err(|Unreadable { id, detail }| SessionError::Unreadable {
            kind: T::KIND.name,
            id,
            detail,
        })
    }

    /// Stores the value of a handle, unless another call has changed it since it was read, and restarts its lifetime,
    /// even if the value is the same.
    ///
    /// # Errors
    /// Those of [`Sessions::get`] and [`Sessions::mint`], and [`SessionError::Changed`]. On an error nothing is stored,
    /// and
    /// `handle` is unchanged.
    pub fn put<T: Held>(&self, agent: &str, handle: &mut Handle<T>) -> Result<(), SessionError> {
        let known = self.usable::<T>(agent, &handle.id, T::KIND.access != Access::Everyone)?;
        let now_ms = self.clock.now_ms();
        let next = StoredHandle {
            changed_ms: now_ms,
            lifetime_ms: handle.lifetime_ms,
            version: handle.version + 1,
            value: serialize_value(&handle.value)?,
            ..known
        };
        self.check_connection::<T>(&next, now_ms)?;
        check_write::<T>(self.store.set_handle(&next, &limits::<T>(), now_ms)?, &next)?;
        self.note_held(&next);
        (handle.changed_ms, handle.expires_ms) = (next.changed_ms, next.expires_ms());
        (handle.version, handle.bytes) = (next.version, next.value.len() as u64);
        Ok(())
    }

    /// Reads a value, changes it and stores it. If another call changes it meanwhile, this is retried, up to
    /// [`UPDATE_TRIES`] times, so `change` must affect only the value. If `change` fails, nothing is stored.
    ///
    /// # Errors
    /// Those of `change`, [`Sessions::get`] and [`Sessions::put`].
    pub fn update<T: Held, R, E: From<SessionError>>(
        &self,
        agent: &str,
        id: &str,
        mut change: impl FnMut(&mut T) -> Result<R, E>,
    ) -> Result<(Handle<T>, R), E> {
        let mut tries = 1;
        loop {
            let mut handle = self.get(agent, id)?;
            let result = change(&mut handle.value)?;
            match self.put(agent, &mut handle) {
                Ok(()) => return Ok((handle, result)),
                Err(SessionError::Changed { .. }) if tries < UPDATE_TRIES => tries += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns up to `limit` handles of a kind that have not expired, last changed first: those of `owner`, or with
    /// `None` those of all agents.
    ///
    /// # Errors
    /// [`SessionError::Store`]. Unreadable values are not errors but rows of [`Listed::unreadable`].
    pub fn list<T: Held>(&self, owner: Option<&str>, limit: usize) -> Result<Listed<T>, SessionError> {
        let owner = owner.map(|owner| shorten_text(owner, MAX_NAME));
        let query = HandleQuery { kind: T::KIND.name, owner: owner.as_deref(), now_ms: self.clock.now_ms(), limit };
        let stored = self.store.handles(&query)?;
        let mut listed = Listed { handles: Vec::new(), unreadable: Vec::new() };
        for row in stored {
            match Handle::read(row) {
                Ok(handle) => listed.handles.push(handle),
                Err(unreadable) => listed.unreadable.push(unreadable),
            }
        }
        Ok(listed)
    }

    /// Removes a handle, even if its value is unreadable.
    ///
    /// # Errors
    /// Like [`Sessions::get`], except [`SessionError::Unreadable`].
    pub fn remove<T: Held>(&self, agent: &str, id: &str) -> Result<(), SessionError> {
        let stored = self.usable::<T>(agent, id, T::KIND.access != Access::Everyone)?;
        self.of_connection().forget(&stored.id);
        match self.store.remove_handle(&stored.id)? {
            true => Ok(()),
            false => Err(report_unknown::<T>(id)),
        }
    }

    /// Refuses a value with which this connection would hold too much under all names.
    fn check_connection<T: Held>(&self, next: &StoredHandle, now_ms: u64) -> Result<(), SessionError> {
        match self.of_connection().excess(&next.id, next.value.len() as u64, now_ms) {
            None => Ok(()),
            Some(bytes) => Err(SessionError::ConnectionFull { kind: T::KIND.name, bytes, limit: CONNECTION_BYTES }),
        }
    }

    fn note_held(&self, stored: &StoredHandle) {
        self.of_connection().note(&stored.id, stored.value.len() as u64, stored.expires_ms());
    }

    /// The row of a handle, if it has not expired and belongs to the agent or `is_owners` is false.
    fn usable<T: Held>(&self, agent: &str, id: &str, is_owners: bool) -> Result<StoredHandle, SessionError> {
        let kind = T::KIND.name;
        let stored =
            self.store.handle(id)?.filter(|stored| stored.kind == kind).ok_or_else(|| report_unknown::<T>(id))?;
        let agent = shorten_text(agent, MAX_NAME);
        // Checked before expiry, which only the owner may learn.
        if is_owners && stored.owner != agent {
            return Err(SessionError::NotYours { kind, id: stored.id, owner: stored.owner, agent });
        }
        let now_ms = self.clock.now_ms();
        match stored.expires_ms() {
            Some(at_ms) if stored.is_expired(now_ms) => {
                Err(SessionError::Expired { kind, id: stored.id, at_ms, ago_ms: now_ms.saturating_sub(at_ms) })
            }
            _ => Ok(stored),
        }
    }
}

fn limits<T: Held>() -> HandleLimits {
    HandleLimits { per_owner: T::KIND.max_per_owner, owner_bytes: OWNER_BYTES, all_bytes: PROJECT_BYTES }
}

/// Serializes the value.
fn serialize_value<T: Held>(value: &T) -> Result<String, SessionError> {
    let (kind, limit) = (T::KIND.name, T::KIND.max_bytes);
    let text =
        serde_json::to_string(value).map_err(|error| SessionError::Unwritable { kind, detail: error.to_string() })?;
    let bytes = text.len() as u64;
    if bytes > limit { Err(SessionError::TooLarge { kind, bytes, limit }) } else { Ok(text) }
}

fn report_unknown<T: Held>(id: &str) -> SessionError {
    SessionError::Unknown { kind: T::KIND.name, id: shorten_text(id, MAX_NAME) }
}

/// Converts the result of a write of a handle.
fn check_write<T: Held>(answer: HandleWrite, next: &StoredHandle) -> Result<(), SessionError> {
    let (kind, agent) = (T::KIND.name, next.owner.clone());
    Err(match answer {
        HandleWrite::Done => return Ok(()),
        HandleWrite::NotThere => report_unknown::<T>(&next.id),
        HandleWrite::TooMany => SessionError::TooMany { kind, agent, limit: T::KIND.max_per_owner },
        HandleWrite::OwnerFull(bytes) => SessionError::Full { kind, agent: Some(agent), bytes, limit: OWNER_BYTES },
        HandleWrite::Full(bytes) => SessionError::Full { kind, agent: None, bytes, limit: PROJECT_BYTES },
        HandleWrite::Changed(found) => {
            SessionError::Changed { kind, id: next.id.clone(), expected: next.version - 1, found }
        }
        HandleWrite::IdTaken => SessionError::NoRandomness { detail: "a new id was in use".to_owned() },
    })
}
