//! The client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), with which the importer logs in.

use crate::{AuthError, Mechanism};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use subtle::ConstantTimeEq;

const NONCE_BYTES: usize = 24;

/// The server chooses the count. More than this would be an attack on the client's processor.
const ITERATIONS_MAX: u32 = 10_000_000;

/// One login: first message, answer to the challenge, check of the server's signature.
#[derive(Debug)]
pub struct ClientLogin {
    password: String,
    bare: String,
    nonce: String,
    /// The signature that the server has to send; `None` before the challenge was answered.
    expected: Option<Vec<u8>>,
}

impl ClientLogin {
    /// Starts a login with a random nonce.
    pub fn new(user: &str, password: &str) -> Result<ClientLogin, AuthError> {
        let mut random = [0; NONCE_BYTES];
        getrandom::fill(&mut random).map_err(|_| AuthError::Random)?;
        let nonce = BASE64.encode(random);
        // The equals sign first, or it would escape the escapes.
        let user = user.replace('=', "=3D").replace(',', "=2C");
        let bare = format!("n={user},r={nonce}");
        Ok(ClientLogin {
            password: password.to_owned(),
            bare,
            nonce,
            expected: None,
        })
    }

    /// The first message.
    pub fn first(&self) -> Vec<u8> {
        format!("n,,{}", self.bare).into_bytes()
    }

    /// The answer to the server's message; `None` once the server has proved that it knows the user's keys. Fails if
    /// its proof is wrong.
    pub fn answer(&mut self, payload: &[u8]) -> Result<Option<Vec<u8>>, AuthError> {
        let text = std::str::from_utf8(payload).map_err(|_| AuthError::Payload("not UTF-8"))?;
        match self.expected.take() {
            None => self.answer_challenge(text).map(Some),
            Some(expected) => {
                let signature = text
                    .strip_prefix("v=")
                    .and_then(|signature| BASE64.decode(signature).ok());
                let proved = signature.is_some_and(|signature| bool::from(signature.ct_eq(&expected)));
                if proved { Ok(None) } else { Err(AuthError::Failed) }
            }
        }
    }

    fn answer_challenge(&mut self, challenge: &str) -> Result<Vec<u8>, AuthError> {
        let mechanism = Mechanism::ScramSha256;
        let mut parts = challenge.split(',');
        let mut part = |prefix| parts.next().and_then(|part| part.strip_prefix(prefix));
        let nonce = part("r=").ok_or(AuthError::Payload("the nonce is missing"))?;
        let salt = part("s=").and_then(|salt| BASE64.decode(salt).ok());
        let salt = salt.ok_or(AuthError::Payload("the salt is missing"))?;
        let iterations = part("i=")
            .and_then(|count| count.parse().ok())
            .filter(|count| *count <= ITERATIONS_MAX);
        let iterations = iterations.ok_or(AuthError::Payload("the iteration count is missing or absurd"))?;
        // The nonce must begin with ours, or the challenge could be that of an earlier conversation, and go on with the
        // server's own part (RFC 5802, section 5.1).
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err(AuthError::Payload("the nonce is not an extension of ours"));
        }
        let password = mechanism.prepare("", &self.password)?;
        let salted = mechanism.salted(password.as_bytes(), &salt, iterations);
        let client_key = mechanism.hmac(&salted, b"Client Key");
        // "biws" is base64 of "n,,": no channel binding, as in the first message.
        let signed = format!("c=biws,r={nonce}");
        let message = format!("{},{challenge},{signed}", self.bare);
        let signature = mechanism.hmac(&mechanism.hash(&client_key), message.as_bytes());
        let proof: Vec<u8> = client_key
            .iter()
            .zip(&signature)
            .map(|(key, mask)| key ^ mask)
            .collect();
        let server_key = mechanism.hmac(&salted, b"Server Key");
        self.expected = Some(mechanism.hmac(&server_key, message.as_bytes()));
        Ok(format!("{signed},p={}", BASE64.encode(proof)).into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Credentials, FirstMessage};

    fn converse(password: &str) -> Result<(), AuthError> {
        let mechanism = Mechanism::ScramSha256;
        let credentials = Credentials::new(mechanism, "a,b=c", "right")?;
        let mut login = ClientLogin::new("a,b=c", password)?;
        let first = FirstMessage::parse(&login.first())?;
        assert_eq!(first.user, "a,b=c");
        let (challenge, conversation) = first.challenge(mechanism, credentials)?;
        let answer = login
            .answer(challenge.as_bytes())?
            .expect("a challenge is answered");
        let proof = conversation.finish(&answer)?;
        assert_eq!(login.answer(proof.as_bytes())?, None);
        Ok(())
    }

    #[test]
    fn client_and_server_convince_each_other() {
        assert_eq!(converse("right"), Ok(()));
    }

    #[test]
    fn a_wrong_password_is_refused() {
        assert_eq!(converse("wrong"), Err(AuthError::Failed));
    }
}
