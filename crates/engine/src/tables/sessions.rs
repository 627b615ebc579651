//! Logical sessions: known ids, when each was last used.

use crate::error::{Error, Result};
use crate::limits::{SESSION_BYTES, SESSION_IDLE_MINUTES_MAX, SESSIONS_MAX};
use code::Code;
use memory::Budget;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
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

    /// Both parts in one number, as the records of retryable writes have it: half of the user's digest, or zero for clients without a login.
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
#[derive(Debug)]
pub(crate) struct Sessions {
    last_use: Mutex<HashMap<SessionId, Instant>>,
    /// The most that are known at once.
    most: usize,
    /// Counts how often sessions were removed.
    removals: AtomicU64,
}

/// How often the last use of a session is noted while one connection goes on using it: far more often than sessions expire.
const NOTED_EVERY: Duration = Duration::from_secs(1);

/// The session that a connection has used last, and what was known then.
#[derive(Debug)]
pub(crate) struct Used {
    session: SessionId,
    at: Instant,
    removals: u64,
}

impl Sessions {
    /// No sessions yet, and later at most one for each [`SESSION_BYTES`] of the memory.
    pub(crate) fn within(memory: &Budget) -> Sessions {
        Sessions {
            last_use: Mutex::default(),
            most: (memory.bytes() / SESSION_BYTES).min(SESSIONS_MAX),
            removals: AtomicU64::default(),
        }
    }

    /// Notes that a session is used now, and adds it if it is not known. Fails if as many are known as may be.
    pub(crate) fn touch(&self, session: SessionId) -> Result<()> {
        let mut sessions = self.last_use.lock();
        if sessions.len() >= self.most && !sessions.contains_key(&session) {
            let message = format!(
                "cannot add session into the cache: at most {} sessions, one for each 4 KiB of --memory",
                self.most
            );
            return Err(Error::new(Code::TOO_MANY_LOGICAL_SESSIONS, message));
        }
        sessions.insert(session, Instant::now());
        Ok(())
    }

    /// As [`Sessions::touch`], for a connection that may have used the same session a moment ago.
    pub(crate) fn touch_again(
        &self,
        used: &mut Option<Box<Used>>,
        session: SessionId,
        now: Instant,
    ) -> Result<()> {
        // Read first, so that a removal after this is seen the next time.
        let removals = self.removals.load(Ordering::Acquire);
        let is_noted = used.as_ref().is_some_and(|used| {
            used.session == session
                && used.removals == removals
                && now.saturating_duration_since(used.at) < NOTED_EVERY
        });
        if !is_noted {
            self.touch(session)?;
            *used = Some(Box::new(Used {
                session,
                at: now,
                removals,
            }));
        }
        Ok(())
    }

    pub(crate) fn end(&self, session: &SessionId) {
        self.last_use.lock().remove(session);
        self.removals.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn count(&self) -> usize {
        self.last_use.lock().len()
    }

    /// All sessions, with the time of each one's last use.
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
        self.removals.fetch_add(1, Ordering::Release);
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_was_ended_is_known_again_when_its_connection_uses_it() {
        let sessions = Sessions::within(&Budget::default());
        let session = SessionId {
            id: [7; 16],
            user: auth::NOBODY_DIGEST,
        };
        let (mut used, now) = (None, Instant::now());
        for _ in 0..2 {
            sessions
                .touch_again(&mut used, session, now)
                .expect("there is room");
            assert_eq!(sessions.count(), 1);
        }
        sessions.end(&session);
        assert_eq!(sessions.count(), 0);
        sessions
            .touch_again(&mut used, session, now)
            .expect("there is room");
        assert_eq!(sessions.count(), 1);
        // Its last use is recorded again before it would expire.
        let noted = sessions.all()[0].1;
        sessions
            .touch_again(&mut used, session, now + NOTED_EVERY)
            .expect("there is room");
        assert!(sessions.all()[0].1 >= noted && used.is_some_and(|used| used.at > now));
    }

    #[test]
    fn there_are_as_many_sessions_as_memory_allows() {
        let sessions = Sessions::within(&Budget::new(2 * SESSION_BYTES));
        let session = |number| SessionId {
            id: [number; 16],
            user: auth::NOBODY_DIGEST,
        };
        for known in [1, 2, 1] {
            sessions.touch(session(known)).expect("there is room");
        }
        let refused = sessions.touch(session(3)).unwrap_err();
        assert_eq!(refused.code, Code::TOO_MANY_LOGICAL_SESSIONS);
        assert!(refused.message.contains("--memory"), "{}", refused.message);
        sessions.end(&session(1));
        sessions
            .touch(session(3))
            .expect("the session that ended made room");
        assert_eq!(Sessions::within(&Budget::default()).most, SESSIONS_MAX);
    }
}
