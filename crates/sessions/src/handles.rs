//! Values that live between calls under minted ids: perspectives, investigations, locks.
//!
//! A type of value says by [`Held::KIND`] how many of it an agent may hold, how large they may be, how long they live
//! and who may use them. Changes are compare-and-set on a version, so two calls do not overwrite each other's.

use std::time::Duration;

use m1nd_store::{Expiry, HandleLimits, HandleWrite, StoredHandle};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::common::shortened;
use crate::{MAX_NAME, SessionError, Sessions, id};

/// Bytes of all values of one agent, over all kinds.
pub const OWNER_BYTES: u64 = 32 << 20;
/// Bytes of all values of all agents of a project.
pub const PROJECT_BYTES: u64 = 256 << 20;
/// Milliseconds for which a handle that has expired is known to have been there: a week.
pub const EXPIRED_KEPT_MS: u64 = 7 * 24 * 60 * 60 * 1_000;
/// Most expired handles that are known to have been there.
pub const EXPIRED_KEPT: usize = 10_000;
/// Times that [`Sessions::update`] reads a value and applies a change, if other calls change it meanwhile.
pub const UPDATE_TRIES: usize = 8;

/// A type of value that agents hold. Stored as JSON: fields that are added later need a default, and numbers that JSON
/// does not know (infinite ones) have no place in it.
pub trait Held: Serialize + DeserializeOwned {
    /// What handles of it are.
    const KIND: Kind;
}

/// What handles of one kind have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// A word for one of them, for people and the store: `perspective`. Never changes, and no other kind has it.
    pub name: &'static str,
    /// What ids begin with: `persp`.
    pub prefix: &'static str,
    /// Which agents may read, change and remove one.
    pub access: Access,
    /// Time from the last change to the end; `None` if they stay until they are removed.
    pub lifetime: Option<Duration>,
    /// How many an agent may hold.
    pub max_per_owner: usize,
    /// Bytes that one may have, as JSON.
    pub max_bytes: u64,
}

/// Which agents may use a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The one that made it.
    Owner,
    /// All that know its id. It still counts towards the limits of its owner.
    Everyone,
}

/// A value that an agent holds, as it was read or written last.
#[derive(Debug, Clone, PartialEq)]
pub struct Handle<T> {
    /// Its name on the wire.
    pub id: String,
    /// The agent that made it.
    pub owner: String,
    /// Milliseconds since 1970.
    pub created_ms: u64,
    /// Milliseconds since 1970 of the last change.
    pub changed_ms: u64,
    /// When it ends unless it is changed before, in milliseconds since 1970; `None` if it does not expire.
    pub expires_ms: Option<u64>,
    /// Goes up by one with each change; 1 at first.
    pub version: u64,
    /// Bytes of the value as it is stored.
    pub bytes: u64,
    /// What is held.
    pub value: T,
    lifetime_ms: Option<u64>,
}

/// A handle whose value this version of the program cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Its id.
    pub id: String,
    /// Why.
    pub detail: String,
}

/// Handles of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed<T> {
    /// Those that can be read, the last changed first.
    pub handles: Vec<Handle<T>>,
    /// The others, in the same order.
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

    /// As [`Sessions::mint`], with a lifetime of its own; `None` if it is not to expire.
    ///
    /// # Errors
    /// As [`Sessions::mint`].
    pub fn mint_for<T: Held>(
        &self,
        agent: &str,
        value: T,
        lifetime: Option<Duration>,
    ) -> Result<Handle<T>, SessionError> {
        let (now_ms, owner) = (self.clock.now_ms(), shortened(agent, MAX_NAME));
        let stored = StoredHandle {
            id: id::mint(T::KIND.prefix, &owner)?,
            kind: T::KIND.name.to_owned(),
            owner,
            created_ms: now_ms,
            changed_ms: now_ms,
            lifetime_ms: lifetime.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            version: 1,
            value: written(&value)?,
        };
        let expiry = Expiry { now_ms, remembered_ms: EXPIRED_KEPT_MS, remembered: EXPIRED_KEPT };
        done::<T>(self.store.add_handle(&stored, &limits::<T>(), &expiry)?, &stored)?;
        Ok(Handle::of(stored, value))
    }

    /// A value by its id, for an agent that may use it.
    ///
    /// # Errors
    /// [`SessionError::Unknown`], [`SessionError::Expired`], [`SessionError::NotYours`], [`SessionError::Unreadable`]
    /// and those of the store.
    pub fn get<T: Held>(&self, agent: &str, id: &str) -> Result<Handle<T>, SessionError> {
        let stored = self.usable::<T>(agent, id)?;
        Handle::read(stored).map_err(|Unreadable { id, detail }| SessionError::Unreadable {
            kind: T::KIND.name,
            id,
            detail,
        })
    }

    /// Stores the value of a handle that was read before, unless another call has changed it since, and lets its
    /// lifetime begin again. Also for a value that is the same.
    ///
    /// # Errors
    /// As [`Sessions::get`] and [`Sessions::mint`], and [`SessionError::Changed`]; then nothing is stored, and `handle`
    /// is as it was.
    pub fn put<T: Held>(&self, agent: &str, handle: &mut Handle<T>) -> Result<(), SessionError> {
        let known = self.usable::<T>(agent, &handle.id)?;
        let now_ms = self.clock.now_ms();
        let next = StoredHandle {
            changed_ms: now_ms,
            lifetime_ms: handle.lifetime_ms,
            version: handle.version + 1,
            value: written(&handle.value)?,
            ..known
        };
        done::<T>(self.store.set_handle(&next, &limits::<T>(), now_ms)?, &next)?;
        (handle.changed_ms, handle.expires_ms) = (next.changed_ms, next.expires_ms());
        (handle.version, handle.bytes) = (next.version, next.value.len() as u64);
        Ok(())
    }

    /// Reads a value, changes it and stores it. If another call changes it meanwhile, all of that is done again, up to
    /// [`UPDATE_TRIES`] times: `change` must have no effect but on the value. An error of `change` stores nothing.
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

    /// Handles of a kind that have not expired, the last changed first, at most `limit`: those that `owner` made, or
    /// with
    /// `None` those of all agents.
    ///
    /// # Errors
    /// [`SessionError::Store`]. A value that cannot be read is no error, but a row of [`Listed::unreadable`].
    pub fn list<T: Held>(&self, owner: Option<&str>, limit: usize) -> Result<Listed<T>, SessionError> {
        let owner = owner.map(|owner| shortened(owner, MAX_NAME));
        let stored = self.store.handles(T::KIND.name, owner.as_deref(), self.clock.now_ms(), limit)?;
        let mut listed = Listed { handles: Vec::new(), unreadable: Vec::new() };
        for row in stored {
            match Handle::read(row) {
                Ok(handle) => listed.handles.push(handle),
                Err(unreadable) => listed.unreadable.push(unreadable),
            }
        }
        Ok(listed)
    }

    /// Removes a handle, also one whose value cannot be read.
    ///
    /// # Errors
    /// As [`Sessions::get`], but for [`SessionError::Unreadable`].
    pub fn remove<T: Held>(&self, agent: &str, id: &str) -> Result<(), SessionError> {
        let stored = self.usable::<T>(agent, id)?;
        match self.store.remove_handle(&stored.id)? {
            true => Ok(()),
            false => Err(unknown::<T>(id)),
        }
    }

    /// The row of a handle, if it has not expired and the agent may use it.
    fn usable<T: Held>(&self, agent: &str, id: &str) -> Result<StoredHandle, SessionError> {
        let kind = T::KIND.name;
        let stored = self.store.handle(id)?.filter(|stored| stored.kind == kind).ok_or_else(|| unknown::<T>(id))?;
        let agent = shortened(agent, MAX_NAME);
        // Before its end: that is for those to know whose it is.
        if T::KIND.access == Access::Owner && stored.owner != agent {
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

/// The value as it is stored.
fn written<T: Held>(value: &T) -> Result<String, SessionError> {
    let (kind, limit) = (T::KIND.name, T::KIND.max_bytes);
    let text =
        serde_json::to_string(value).map_err(|error| SessionError::Unwritable { kind, detail: error.to_string() })?;
    let bytes = text.len() as u64;
    if bytes > limit { Err(SessionError::TooLarge { kind, bytes, limit }) } else { Ok(text) }
}

fn unknown<T: Held>(id: &str) -> SessionError {
    SessionError::Unknown { kind: T::KIND.name, id: shortened(id, MAX_NAME) }
}

/// What the store answered to the write of a handle, for its caller.
fn done<T: Held>(answer: HandleWrite, next: &StoredHandle) -> Result<(), SessionError> {
    let (kind, agent) = (T::KIND.name, next.owner.clone());
    Err(match answer {
        HandleWrite::Done => return Ok(()),
        HandleWrite::NotThere => unknown::<T>(&next.id),
        HandleWrite::TooMany => SessionError::TooMany { kind, agent, limit: T::KIND.max_per_owner },
        HandleWrite::OwnerFull(bytes) => SessionError::Full { kind, agent: Some(agent), bytes, limit: OWNER_BYTES },
        HandleWrite::Full(bytes) => SessionError::Full { kind, agent: None, bytes, limit: PROJECT_BYTES },
        HandleWrite::Changed(found) => {
            SessionError::Changed { kind, id: next.id.clone(), expected: next.version - 1, found }
        }
        HandleWrite::IdTaken => SessionError::NoRandomness { detail: "a new id was in use".to_owned() },
    })
}
