//! Telling right passwords from wrong ones, without hashing the same one again and again.

use crate::limits::PASSWORDS_REMEMBERED_MAX;
use auth::{Credentials, Decoy, Mechanism};
use hmac::{Hmac, Mac};
use parking_lot::Mutex;
use sha2::Sha256;
use std::collections::HashSet;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use subtle::ConstantTimeEq;

/// The passwords that were found right, so that not every request needs to hash one.
#[derive(Debug)]
pub(crate) struct Passwords {
    key: [u8; 32],
    decoy: Decoy,
    /// Digests of names and passwords.
    remembered: Mutex<HashSet<[u8; 32]>>,
    /// Passwords that were told by their digest.
    fast: AtomicU64,
    /// Passwords that were hashed.
    slow: AtomicU64,
}

impl Passwords {
    /// An empty table with a key of its own; `None` if there is no randomness.
    pub(crate) fn new() -> Option<Passwords> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).ok()?;
        Some(Passwords {
            key,
            decoy: Decoy::new().ok()?,
            remembered: Mutex::default(),
            fast: AtomicU64::new(0),
            slow: AtomicU64::new(0),
        })
    }

    /// How many passwords were told by their digest, and how many were hashed.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.fast.load(Relaxed), self.slow.load(Relaxed))
    }

    /// Whether a password is known to be that of these credentials, so that nothing needs to be hashed.
    pub(crate) fn is_known(
        &self,
        known: Option<&(Mechanism, Credentials)>,
        name: &str,
        password: &str,
    ) -> bool {
        known.is_some_and(|(_, kept)| {
            let memory = self.digest(&[name.as_bytes(), password.as_bytes(), &kept.stored_key]);
            self.remembered.lock().contains(&memory)
        })
    }

    /// Whether a password is that of these credentials. Without any, the same work is done, so that the time tells nothing.
    pub(crate) async fn is_right(
        &self,
        known: Option<(Mechanism, Credentials)>,
        name: &str,
        password: &str,
    ) -> bool {
        let is_known = known.is_some();
        let (mechanism, kept) = known.unwrap_or_else(|| {
            let mechanism = Mechanism::ScramSha256;
            (mechanism, self.decoy.credentials(mechanism, "admin", name))
        });
        let memory = self.digest(&[name.as_bytes(), password.as_bytes(), &kept.stored_key]);
        if is_known && self.remembered.lock().contains(&memory) {
            self.fast.fetch_add(1, Relaxed);
            return true;
        }
        let (name, password) = (name.to_owned(), password.to_owned());
        self.slow.fetch_add(1, Relaxed);
        let derived = tokio::task::spawn_blocking(move || {
            let derived =
                Credentials::derive(mechanism, &name, &password, kept.salt.clone(), kept.iterations);
            derived.is_ok_and(|derived| derived.stored_key.ct_eq(&kept.stored_key).into())
        });
        let is_right = is_known && derived.await.unwrap_or(false);
        if is_right {
            self.remember(memory);
            self.fast.fetch_add(1, Relaxed);
        }
        is_right
    }

    fn digest(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.key)
            .expect("HMAC takes keys of every length (RFC 2104)");
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    fn remember(&self, memory: [u8; 32]) {
        let mut remembered = self.remembered.lock();
        if remembered.len() >= PASSWORDS_REMEMBERED_MAX {
            remembered.clear();
        }
        remembered.insert(memory);
    }
}
