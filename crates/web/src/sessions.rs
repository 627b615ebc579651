//! Users who have signed in by the page: each has a cookie of 256 random bits, of which the server keeps only a hash.

use auth::{User, UserCredentials};
use engine::Engine;
use memory::Budget;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a sign-in lasts without a request.
pub(crate) const IDLE_TIME_MAX: Duration = Duration::from_secs(12 * 60 * 60);
/// The same if the user wants to stay signed in.
pub(crate) const STAY_TIME_MAX: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// The most sign-ins at once, however much memory there is; the one that was idle for longest makes room.
const SESSIONS_MAX: usize = 10_000;
/// There may be one sign-in for each of this many bytes of the budget. A sign-in takes about half a kilobyte.
const SESSION_BYTES: usize = 4 << 10;

/// The sign-ins of one server. They end with it.
#[derive(Debug)]
pub(crate) struct Sessions {
    by_hash: Mutex<HashMap<[u8; 32], Session>>,
    most: usize,
}

#[derive(Debug)]
struct Session {
    database: String,
    name: String,
    /// A later user of the same name is another one.
    uuid: [u8; 16],
    /// Somebody who changes a password that others know wants them out.
    credentials: UserCredentials,
    idle_time_max: Duration,
    used: Instant,
}

impl Session {
    fn is_over(&self) -> bool {
        self.used.elapsed() > self.idle_time_max
    }
}

impl Sessions {
    /// No sign-ins yet, and later as many as the memory allows.
    pub(crate) fn within(memory: &Budget) -> Sessions {
        Sessions {
            by_hash: Mutex::default(),
            most: (memory.bytes() / SESSION_BYTES).min(SESSIONS_MAX),
        }
    }

    /// Signs a user in and returns the cookie's value; `None` if the system has no random bits.
    pub(crate) fn begin(&self, user: &User, stays: bool) -> Option<String> {
        let mut token = [0; 32];
        getrandom::fill(&mut token).ok()?;
        let token = value::hex(&token);
        let session = Session {
            database: user.database.clone(),
            name: user.name.clone(),
            uuid: user.uuid,
            credentials: user.credentials.clone(),
            idle_time_max: if stays { STAY_TIME_MAX } else { IDLE_TIME_MAX },
            used: Instant::now(),
        };
        let mut sessions = self.by_hash.lock();
        if sessions.len() >= self.most {
            sessions.retain(|_, session| !session.is_over());
        }
        if sessions.len() >= self.most {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.used);
            if let Some(oldest) = oldest.map(|(hash, _)| *hash) {
                sessions.remove(&oldest);
            }
        }
        sessions.insert(hash(&token), session);
        Some(token)
    }

    /// The user of a cookie, as the user is now; `None` if the sign-in is over, the password another one, or the user gone.
    pub(crate) fn user(&self, engine: &Engine, token: &str) -> Option<Arc<User>> {
        let mut sessions = self.by_hash.lock();
        let hash = hash(token);
        let session = sessions.get_mut(&hash)?;
        let user = engine.user(&session.database, &session.name);
        let is_same = |user: &Arc<User>| user.uuid == session.uuid && user.credentials == session.credentials;
        let user = user.filter(|user| is_same(user) && !session.is_over());
        match user.is_some() {
            true => session.used = Instant::now(),
            false => drop(sessions.remove(&hash)),
        }
        user
    }

    /// Signs out.
    pub(crate) fn end(&self, token: &str) {
        self.by_hash.lock().remove(&hash(token));
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_in_that_was_idle_for_longest_makes_room() {
        let sessions = Sessions::within(&Budget::new(2 * SESSION_BYTES));
        let user = User {
            database: "admin".to_owned(),
            name: "ann".to_owned(),
            uuid: [7; 16],
            credentials: Vec::new(),
            roles: Vec::new(),
            custom_data: None,
        };
        let begin = || sessions.begin(&user, false).unwrap();
        let tokens = [begin(), begin(), begin()];
        let is_known = |token: &String| sessions.by_hash.lock().contains_key(&hash(token));
        assert_eq!(tokens.each_ref().map(is_known), [false, true, true]);
        assert_eq!(Sessions::within(&Budget::default()).most, SESSIONS_MAX);
    }
}
