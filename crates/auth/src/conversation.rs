//! A SCRAM login, seen from the server (RFC 5802 section 5).
//!
//! The client sends its first message, which names the user; the caller looks the user up and answers with
//! [`FirstMessage::challenge`]; the client's last message is checked by [`Conversation::finish`].

use crate::{AuthError, Credentials, Mechanism};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use subtle::ConstantTimeEq;

/// Longer payloads are refused unread: they come from clients that have not logged in.
const PAYLOAD_BYTES_MAX: usize = 4096;
const NONCE_BYTES: usize = 24;

/// The client's first message.
#[derive(Clone, Debug)]
pub struct FirstMessage {
    /// The user who wants to log in.
    pub user: String,
    gs2_header: String,
    bare: String,
    nonce: String,
}

/// A login that waits for the client's proof.
#[derive(Clone, Debug)]
pub struct Conversation {
    mechanism: Mechanism,
    credentials: Credentials,
    gs2_header: String,
    nonce: String,
    /// The first messages of both sides, as the proof signs them.
    transcript: String,
}

/// Makes credentials for users that do not exist, so that their logins fail only at the proof, as with a wrong
/// password.
///
/// The salt depends on the secret and the name alone: a random one would differ when asked for twice, and give away
/// that there is no such user.
#[derive(Clone)]
pub struct Decoy {
    secret: [u8; 32],
}

impl std::fmt::Debug for Decoy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Decoy")
    }
}

impl Decoy {
    /// Credentials of a random secret: others after each restart.
    pub fn new() -> Result<Decoy, AuthError> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|_| AuthError::Random)?;
        Ok(Decoy { secret })
    }

    /// Credentials of a given secret: the same after a restart, as those of a user are.
    pub fn with_secret(secret: [u8; 32]) -> Decoy {
        Decoy { secret }
    }

    /// Credentials that no password matches, with salt and iterations of the usual form.
    pub fn credentials(&self, mechanism: Mechanism, database: &str, user: &str) -> Credentials {
        let derive = |purpose: &str| {
            let text = format!("{purpose}\0{}\0{database}\0{user}", mechanism.name());
            mechanism.hmac(&self.secret, text.as_bytes())
        };
        let mut salt = derive("salt");
        salt.truncate(mechanism.salt_len());
        Credentials {
            iterations: mechanism.iterations_default(),
            salt,
            // A stored key is a hash of a key: nobody knows a key that hashes to these bytes.
            stored_key: derive("stored key"),
            server_key: derive("server key"),
        }
    }
}

impl FirstMessage {
    /// Reads `n,,n=user,r=nonce`.
    pub fn parse(payload: &[u8]) -> Result<FirstMessage, AuthError> {
        let text = text_of(payload)?;
        let mut parts = text.splitn(3, ',');
        let (Some(binding), Some(identity), Some(bare)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(AuthError::Payload("the first message has three parts at least"));
        };
        if binding != "n" && binding != "y" {
            return Err(AuthError::Payload("channel binding is not supported"));
        }
        if !identity.is_empty() {
            return Err(AuthError::Payload("an authorization identity is not supported"));
        }
        let mut attributes = bare.split(',');
        let user = attribute(attributes.next(), "n=", "the user name is missing")?;
        let nonce = attribute(attributes.next(), "r=", "the client's nonce is missing")?;
        if nonce.is_empty() {
            return Err(AuthError::Payload("the client's nonce is empty"));
        }
        Ok(FirstMessage {
            user: unescape(user)?,
            gs2_header: format!("{binding},{identity},"),
            bare: bare.to_owned(),
            nonce: nonce.to_owned(),
        })
    }

    /// The server's first message, and the conversation that goes on from it.
    pub fn challenge(
        self,
        mechanism: Mechanism,
        credentials: Credentials,
    ) -> Result<(String, Conversation), AuthError> {
        let mut random = [0; NONCE_BYTES];
        getrandom::fill(&mut random).map_err(|_| AuthError::Random)?;
        Ok(self.challenge_with(mechanism, credentials, &BASE64.encode(random)))
    }

    fn challenge_with(
        self,
        mechanism: Mechanism,
        credentials: Credentials,
        server_nonce: &str,
    ) -> (String, Conversation) {
        let nonce = format!("{}{server_nonce}", self.nonce);
        let salt = BASE64.encode(&credentials.salt);
        let message = format!("r={nonce},s={salt},i={}", credentials.iterations);
        let transcript = format!("{},{message}", self.bare);
        let conversation = Conversation {
            mechanism,
            credentials,
            gs2_header: self.gs2_header,
            nonce,
            transcript,
        };
        (message, conversation)
    }
}

impl Conversation {
    /// Checks the client's last message, and returns the server's, which proves that the server knows the user's keys.
    pub fn finish(self, payload: &[u8]) -> Result<String, AuthError> {
        let text = text_of(payload)?;
        let (signed, proof) = text
            .rsplit_once(",p=")
            .ok_or(AuthError::Payload("the proof is missing"))?;
        let mut attributes = signed.split(',');
        let binding = attribute(attributes.next(), "c=", "the channel binding is missing")?;
        let nonce = attribute(attributes.next(), "r=", "the nonce is missing")?;
        // The client repeats its header under the proof's signature: one that was changed on the way is found out here.
        if BASE64.decode(binding).ok().as_deref() != Some(self.gs2_header.as_bytes()) {
            return Err(AuthError::Payload(
                "the channel binding is not that of the first message",
            ));
        }
        if nonce != self.nonce {
            return Err(AuthError::Payload("the nonce is not the one given"));
        }
        let proof = BASE64
            .decode(proof)
            .map_err(|_| AuthError::Payload("the proof is not base64"))?;
        let message = format!("{},{signed}", self.transcript);
        self.verify(&proof, message.as_bytes())?;
        let signature = self
            .mechanism
            .hmac(&self.credentials.server_key, message.as_bytes());
        Ok(format!("v={}", BASE64.encode(signature)))
    }

    fn verify(&self, proof: &[u8], message: &[u8]) -> Result<(), AuthError> {
        let signature = self.mechanism.hmac(&self.credentials.stored_key, message);
        if proof.len() != signature.len() {
            return Err(AuthError::Failed);
        }
        // The proof is the client's key, masked by a signature that takes the stored key to make. Only the hash of the
        // client's key is stored, so the stored key alone is not enough to log in.
        let client_key: Vec<u8> = proof.iter().zip(&signature).map(|(p, s)| p ^ s).collect();
        let stored_key = self.mechanism.hash(&client_key);
        match bool::from(stored_key.ct_eq(&self.credentials.stored_key)) {
            true => Ok(()),
            false => Err(AuthError::Failed),
        }
    }
}

fn text_of(payload: &[u8]) -> Result<&str, AuthError> {
    if payload.len() > PAYLOAD_BYTES_MAX {
        return Err(AuthError::Payload("longer than 4096 bytes"));
    }
    std::str::from_utf8(payload).map_err(|_| AuthError::Payload("not UTF-8"))
}

fn attribute<'a>(part: Option<&'a str>, name: &str, missing: &'static str) -> Result<&'a str, AuthError> {
    part.and_then(|part| part.strip_prefix(name))
        .ok_or(AuthError::Payload(missing))
}

/// `=2C` is a comma and `=3D` an equals sign; nothing else may follow an equals sign.
fn unescape(name: &str) -> Result<String, AuthError> {
    let mut out = String::with_capacity(name.len());
    let mut parts = name.split('=');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (escaped, rest) = match (part.strip_prefix("2C"), part.strip_prefix("3D")) {
            (Some(rest), _) => (',', rest),
            (_, Some(rest)) => ('=', rest),
            _ => return Err(AuthError::Payload("a stray '=' in the user name")),
        };
        out.push(escaped);
        out.push_str(rest);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A conversation of an RFC, with its salt, nonces and count.
    fn converse(
        mechanism: Mechanism,
        credentials: Credentials,
        first: &str,
        nonce: &str,
        last: &str,
    ) -> [String; 2] {
        let first = FirstMessage::parse(first.as_bytes()).unwrap();
        assert_eq!(first.user, "user");
        let (challenge, conversation) = first.challenge_with(mechanism, credentials, nonce);
        [challenge, conversation.finish(last.as_bytes()).unwrap()]
    }

    #[test]
    fn the_example_of_rfc_7677_logs_in() {
        let salt = BASE64.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let credentials = Credentials::derive(Mechanism::ScramSha256, "user", "pencil", salt, 4096).unwrap();
        let [challenge, last] = converse(
            Mechanism::ScramSha256,
            credentials,
            "n,,n=user,r=rOprNGfwEbeRWgbNEkqO",
            "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0",
            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
        );
        assert_eq!(
            challenge,
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
        );
        assert_eq!(last, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    /// The keys of RFC 5802's example, whose password is not digested as MongoDB does.
    fn rfc_5802_credentials() -> Credentials {
        let mechanism = Mechanism::ScramSha1;
        let salt = BASE64.decode("QSXCR+Q6sek8bf92").unwrap();
        let mut salted = [0; 20];
        pbkdf2::pbkdf2_hmac::<sha1::Sha1>(b"pencil", &salt, 4096, &mut salted);
        let client_key = mechanism.hmac(&salted, b"Client Key");
        Credentials {
            iterations: 4096,
            salt,
            stored_key: mechanism.hash(&client_key),
            server_key: mechanism.hmac(&salted, b"Server Key"),
        }
    }

    #[test]
    fn the_example_of_rfc_5802_logs_in() {
        let [challenge, last] = converse(
            Mechanism::ScramSha1,
            rfc_5802_credentials(),
            "n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL",
            "3rfcNHYJY1ZVvWVs7j",
            "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
        );
        assert_eq!(
            challenge,
            "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"
        );
        assert_eq!(last, "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=");
    }

    #[test]
    fn a_wrong_proof_fails() {
        let first = FirstMessage::parse(b"n,,n=user,r=fyko").unwrap();
        let (_, conversation) = first.challenge_with(Mechanism::ScramSha1, rfc_5802_credentials(), "x");
        let last = b"c=biws,r=fykox,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=";
        assert_eq!(conversation.finish(last), Err(AuthError::Failed));
    }

    #[test]
    fn a_changed_nonce_or_binding_fails() {
        let start = || {
            let first = FirstMessage::parse(b"n,,n=user,r=fyko").unwrap();
            first
                .challenge_with(Mechanism::ScramSha1, rfc_5802_credentials(), "x")
                .1
        };
        assert!(
            start()
                .finish(b"c=biws,r=fyko,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=")
                .is_err()
        );
        assert!(
            start()
                .finish(b"c=eSws,r=fykox,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=")
                .is_err()
        );
    }

    #[test]
    fn user_names_are_unescaped() {
        let first = FirstMessage::parse(b"n,,n=a=2Cb=3Dc,r=x").unwrap();
        assert_eq!(first.user, "a,b=c");
        assert!(FirstMessage::parse(b"n,,n=a=2,r=x").is_err());
    }

    #[test]
    fn odd_payloads_are_refused() {
        let payloads: [&[u8]; 8] = [
            b"",
            b"n",
            b"n,,",
            b"p=tls-unique,,n=user,r=x",
            b"n,a=root,n=user,r=x",
            b"n,,n=user",
            b"n,,n=user,r=",
            b"\xFF\xFE",
        ];
        for payload in payloads {
            assert!(FirstMessage::parse(payload).is_err(), "{payload:?}");
        }
        assert!(FirstMessage::parse(&vec![b'n'; PAYLOAD_BYTES_MAX + 1]).is_err());
    }

    #[test]
    fn stand_ins_are_the_same_each_time_and_differ_by_user() {
        let decoy = Decoy::with_secret([7; 32]);
        let ask = |user| decoy.credentials(Mechanism::ScramSha256, "admin", user);
        assert_eq!(ask("a"), ask("a"));
        assert_ne!(ask("a").salt, ask("b").salt);
        assert_eq!(ask("a").salt.len(), Mechanism::ScramSha256.salt_len());
    }
}
