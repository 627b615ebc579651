//! Telling good passwords, of protocols that send them with every request (HTTP's basic scheme).

use auth::User;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

/// Good passwords that are remembered; beyond that all are forgotten and hashed again.
const REMEMBERED_MAX: usize = 10_000;

/// Passwords that were good, so that only the first of a client's requests pays for the hashing: by a keyed digest of
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

    /// Whether this is the user's password.
    pub(crate) async fn is_good(&self, user: &Arc<User>, password: &str) -> bool {
        let digest = self.digest(user, password);
        let (checked, password) = (user.clone(), password.to_owned());
        let check = move || {
            let are_of = |(mechanism, keys): &(_, auth::Credentials)| {
                keys.are_of(*mechanism, &checked.name, &password)
            };
            checked.credentials.iter().any(are_of)
        };
        // Hashing is slow on purpose.
        if !tokio::task::spawn_blocking(check).await.unwrap_or(false) {
            return false;
        }
        let mut good = self.good.lock();
        if good.len() >= REMEMBERED_MAX {
            good.clear();
        }
        good.insert(digest);
        true
    }
}
