//! The salted keys that stand for a password.
//!
//! Formulas: RFC 5802 section 3; MongoDB's SHA-1 password digest is hex(MD5("user:mongo:password")).

use crate::AuthError;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hmac::{Hmac, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use value::{Document, Value, doc, hex};

/// A SASL mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mechanism {
    /// SCRAM with SHA-1, on MongoDB's password digest.
    ScramSha1,
    /// SCRAM with SHA-256, on the SASLprepped password.
    ScramSha256,
}

impl Mechanism {
    /// Every mechanism, in the order in which MongoDB names them.
    pub const ALL: [Mechanism; 2] = [Mechanism::ScramSha1, Mechanism::ScramSha256];

    /// The mechanism of this name.
    pub fn parse(name: &str) -> Result<Mechanism, AuthError> {
        Mechanism::ALL
            .into_iter()
            .find(|mechanism| mechanism.name() == name)
            .ok_or_else(|| AuthError::Mechanism(name.to_owned()))
    }

    /// The registered name.
    pub fn name(self) -> &'static str {
        match self {
            Mechanism::ScramSha1 => "SCRAM-SHA-1",
            Mechanism::ScramSha256 => "SCRAM-SHA-256",
        }
    }

    /// How often the password is hashed in new credentials.
    pub fn iterations_default(self) -> u32 {
        match self {
            Mechanism::ScramSha1 => 10_000,
            Mechanism::ScramSha256 => 15_000,
        }
    }

    /// The bytes of a salt, as MongoDB has them: with the counter of four bytes that PBKDF2 appends, as many as a hash
    /// has.
    pub(crate) fn salt_len(self) -> usize {
        self.hash_len() - 4
    }

    fn new_salt(self) -> Result<Vec<u8>, AuthError> {
        let mut salt = vec![0; self.salt_len()];
        getrandom::fill(&mut salt).map_err(|_| AuthError::Random)?;
        Ok(salt)
    }

    fn hash_len(self) -> usize {
        match self {
            Mechanism::ScramSha1 => 20,
            Mechanism::ScramSha256 => 32,
        }
    }

    pub(crate) fn hmac(self, key: &[u8], data: &[u8]) -> Vec<u8> {
        match self {
            Mechanism::ScramSha1 => hmac_of::<Hmac<Sha1>>(key, data),
            Mechanism::ScramSha256 => hmac_of::<Hmac<Sha256>>(key, data),
        }
    }

    pub(crate) fn hash(self, data: &[u8]) -> Vec<u8> {
        match self {
            Mechanism::ScramSha1 => Sha1::digest(data).to_vec(),
            Mechanism::ScramSha256 => Sha256::digest(data).to_vec(),
        }
    }

    pub(crate) fn salted(self, password: &[u8], salt: &[u8], iterations: u32) -> Vec<u8> {
        let mut out = vec![0; self.hash_len()];
        match self {
            Mechanism::ScramSha1 => pbkdf2::pbkdf2_hmac::<Sha1>(password, salt, iterations, &mut out),
            Mechanism::ScramSha256 => pbkdf2::pbkdf2_hmac::<Sha256>(password, salt, iterations, &mut out),
        }
        out
    }

    /// What is hashed of a password: for SHA-1 MongoDB's digest, which holds the user's name, so that renaming a user
    /// would need new credentials. Fails if the password has characters that SASLprep forbids.
    pub(crate) fn prepare(self, user: &str, password: &str) -> Result<String, AuthError> {
        match self {
            Mechanism::ScramSha1 => Ok(hex(&Md5::digest(format!("{user}:mongo:{password}")))),
            Mechanism::ScramSha256 => stringprep::saslprep(password)
                .map(std::borrow::Cow::into_owned)
                .map_err(|_| AuthError::Password),
        }
    }
}

fn hmac_of<M: Mac + hmac::digest::KeyInit>(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut mac = <M as hmac::digest::KeyInit>::new_from_slice(key)
        .expect("HMAC takes keys of every length (RFC 2104)");
    mac.update(data);
    mac.finalize().into_bytes().to_vec()
}

/// What is kept of a password under one mechanism.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// How often the password was hashed.
    pub iterations: u32,
    /// What is mixed into the password, another for each user.
    pub salt: Vec<u8>,
    /// The hash of the client's key. A login shows that the client knows the key itself.
    pub stored_key: Vec<u8>,
    /// The key with which the server signs its last message.
    pub server_key: Vec<u8>,
}

impl std::fmt::Debug for Credentials {
    /// Without the keys, so that no log shows them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials")
            .field("iterations", &self.iterations)
            .finish_non_exhaustive()
    }
}

impl Credentials {
    /// New credentials with a random salt. Takes some ten milliseconds of hashing: not for an async thread.
    pub fn new(mechanism: Mechanism, user: &str, password: &str) -> Result<Credentials, AuthError> {
        let salt = mechanism.new_salt()?;
        Credentials::derive(mechanism, user, password, salt, mechanism.iterations_default())
    }

    /// The credentials of this salt and count.
    pub fn derive(
        mechanism: Mechanism,
        user: &str,
        password: &str,
        salt: Vec<u8>,
        iterations: u32,
    ) -> Result<Credentials, AuthError> {
        let password = mechanism.prepare(user, password)?;
        Ok(Credentials::of_prepared(mechanism, &password, salt, iterations))
    }

    /// New credentials for SCRAM-SHA-1 of the digest that a client has made of a password, in place of the password. Takes
    /// some ten milliseconds of hashing: not for an async thread.
    pub fn of_digest(digest: &str) -> Result<Credentials, AuthError> {
        let mechanism = Mechanism::ScramSha1;
        let (salt, iterations) = (mechanism.new_salt()?, mechanism.iterations_default());
        Ok(Credentials::of_prepared(mechanism, digest, salt, iterations))
    }

    fn of_prepared(mechanism: Mechanism, password: &str, salt: Vec<u8>, iterations: u32) -> Credentials {
        let salted = mechanism.salted(password.as_bytes(), &salt, iterations);
        let client_key = mechanism.hmac(&salted, b"Client Key");
        Credentials {
            iterations,
            salt,
            stored_key: mechanism.hash(&client_key),
            server_key: mechanism.hmac(&salted, b"Server Key"),
        }
    }

    /// Whether they are those of this password, for protocols that send it. Takes some ten milliseconds of hashing: not
    /// for an async thread.
    pub fn are_of(&self, mechanism: Mechanism, user: &str, password: &str) -> bool {
        let derived = Credentials::derive(mechanism, user, password, self.salt.clone(), self.iterations);
        derived.is_ok_and(|derived| derived.stored_key.ct_eq(&self.stored_key).into())
    }

    /// The document in which MongoDB keeps them: `{iterationCount, salt, storedKey, serverKey}` in base64.
    pub fn to_document(&self) -> Document {
        doc! {
            "iterationCount": i32::try_from(self.iterations).unwrap_or(i32::MAX),
            "salt": BASE64.encode(&self.salt),
            "storedKey": BASE64.encode(&self.stored_key),
            "serverKey": BASE64.encode(&self.server_key),
        }
    }

    /// Reads what [`Credentials::to_document`] writes.
    pub fn from_document(mechanism: Mechanism, document: &Document) -> Result<Credentials, AuthError> {
        let iterations = match document.get("iterationCount") {
            Some(Value::Int32(count)) => u32::try_from(*count).ok().filter(|count| *count > 0),
            _ => None,
        };
        let credentials = Credentials {
            iterations: iterations.ok_or(AuthError::Damaged("iterationCount"))?,
            salt: base64_field(document, "salt")?,
            stored_key: base64_field(document, "storedKey")?,
            server_key: base64_field(document, "serverKey")?,
        };
        // A shorter key would never match. It is reported as damaged here, rather than as a wrong password at each
        // login.
        if credentials.stored_key.len() != mechanism.hash_len() {
            return Err(AuthError::Damaged("storedKey"));
        }
        Ok(credentials)
    }
}

fn base64_field(document: &Document, name: &'static str) -> Result<Vec<u8>, AuthError> {
    match document.get(name) {
        Some(Value::String(text)) => BASE64.decode(text).map_err(|_| AuthError::Damaged(name)),
        _ => Err(AuthError::Damaged(name)),
    }
}
