//! Logical sessions: known ids, when each was last used.

use crate::error::{Error, Result};
use crate::limits::{SESSION_IDLE_MINUTES_MAX, SESSIONS_MAX};
use code::Code;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use value::{Binary, Document, doc};

/// A logical session: the client's UUID and a digest of its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId {
    /// The client's UUID.
    pub id: [u8; 16],
    /// The digest of the user's name, or [`auth::NOBODY_DIGEST`] where nobody is logged in.
    pub user: [u8; 32],
}

impl SessionId {
    /// The session as MongoDB's administrators see it: its UUID, and the digest of its user.
    pub(crate) fn to_document(self) -> Document {
        let binary = |subtype, bytes: &[u8]| Binary {
            subtype,
            bytes: bytes.to_vec(),
        };
        doc! {"id": binary(4, &self.id), "uid": binary(0, &self.user)}
    }

    /// Both parts in one, as the records of retryable writes know it: the user's half is cut, and nobody's is zero.
    pub fn digest(&self) -> [u8; 32] {
        let mut digest = [0; 32];
        digest[..16].copy_from_slice(&self.id);
        if self.user != auth::NOBODY_DIGEST {
            digest[16..].copy_from_slice(&self.user[..16]);
        }
        digest
    }
}

/// The sessions in use.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    last_use: Mutex<HashMap<SessionId, Instant>>,
}

impl Sessions {
    /// Notes that a session is used now, and adds it if it is not known. Fails if [`SESSIONS_MAX`] are known.
    pub(crate) fn touch(&self, session: SessionId) -> Result<()> {
        let mut sessions = self.last_use.lock();
        if sessions.len() >= SESSIONS_MAX && !sessions.contains_key(&session) {
            let message = format!("cannot add session into the cache: at most {SESSIONS_MAX} sessions");
            return Err(Error::new(Code::TOO_MANY_LOGICAL_SESSIONS, message));
        }
        sessions.insert(session, Instant::now());
        Ok(())
    }

    pub(crate) fn end(&self, session: &SessionId) {
        self.last_use.lock().remove(session);
    }

    pub(crate) fn count(&self) -> usize {
        self.last_use.lock().len()
    }

    /// All of them, with when each was last used.
    pub(crate) fn all(&self) -> Vec<(SessionId, Instant)> {
        self.last_use.lock().iter().map(|(id, at)| (*id, *at)).collect()
    }

    /// Forgets the sessions that were not used for [`SESSION_IDLE_MINUTES_MAX`], and returns them.
    pub(crate) fn forget_idle(&self) -> Vec<SessionId> {
        let idle = Duration::from_secs(SESSION_IDLE_MINUTES_MAX * 60);
        let mut sessions = self.last_use.lock();
        let ended: Vec<_> = sessions
            .iter()
            .filter(|(_, at)| at.elapsed() > idle)
            .map(|(id, _)| *id)
            .collect();
        for session in &ended {
            sessions.remove(session);
        }
        ended
    }
}
