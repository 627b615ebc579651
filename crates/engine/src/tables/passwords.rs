//! Checking passwords in protocols that send them with every request (HTTP's basic scheme).

use auth::{Decoy, Mechanism, User};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

/// The most right passwords that are remembered; beyond that all are forgotten and hashed again.
const REMEMBERED_MAX: usize = 10_000;

/// Passwords that were right, so that only the first of a client's requests pays for the hashing. They are kept as keyed digests of
/// password and stored keys, which a change of the password changes. The key lives as long as the process.
#[derive(Debug)]
pub(crate) struct PasswordsSeen {
    key: [u8; 32],
    good: Mutex<HashSet<[u8; 32]>>,
}

impl Default for PasswordsSeen {
    fn default() -> PasswordsSeen {
        let mut key = [0; 32];
        for half in key.chunks_mut(16) {
            half.copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        }
        PasswordsSeen {
            key,
            good: Mutex::default(),
        }
    }
}

impl PasswordsSeen {
    fn digest(&self, user: &User, password: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        for (_, credentials) in &user.credentials {
            hasher.update(&credentials.stored_key);
        }
        hasher.update(user.id().as_bytes());
        hasher.update(&[0]);
        hasher.update(password.as_bytes());
        *hasher.finalize().as_bytes()
    }

    /// Whether this is known to be the user's password.
    pub(crate) fn is_known(&self, user: &User, password: &str) -> bool {
        self.good.lock().contains(&self.digest(user, password))
    }

    /// Whether this is the user's password. If there is no such user, the same work is done, so that the time of an answer does not
    /// show who exists. The same holds for each mechanism, whether or not the user has it.
    pub(crate) async fn is_good(&self, user: Option<&Arc<User>>, name: &str, password: &str) -> bool {
        let decoy = Decoy::with_secret(self.key);
        let (checked, name, given) = (user.cloned(), name.to_owned(), password.to_owned());
        let check = move || {
            let is_of = |mechanism: Mechanism| {
                let known = checked.as_ref().and_then(|user| user.credentials_for(mechanism));
                let (name, keys) = match (&checked, known) {
                    (Some(user), Some(keys)) => (&user.name, keys.clone()),
                    _ => (&name, decoy.credentials(mechanism, "admin", &name)),
                };
                keys.are_of(mechanism, name, &given) && known.is_some()
            };
            Mechanism::ALL.map(is_of).contains(&true)
        };
        // Hashing is slow on purpose.
        if !tokio::task::spawn_blocking(check).await.unwrap_or(false) {
            return false;
        }
        let Some(user) = user else { return false };
        let mut good = self.good.lock();
        if good.len() >= REMEMBERED_MAX {
            good.clear();
        }
        good.insert(self.digest(user, password));
        true
    }
}
