//! One-time passwords that change with the time (RFC 6238), for users whose document has a member `totp`
//! (`src/couch/src/couch_httpd_auth.erl`, `verify_totp`): a login by a form sends one besides the password, and basic
//! credentials alone are not enough.

use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use subtle::{Choice, ConstantTimeEq};
use value::{Document, Value};

/// How long a one-time password is valid, in seconds. The one before and the one after it are accepted too, since clocks differ.
const STEP_SECONDS: u64 = 30;

/// How the one-time passwords of a user are computed.
#[derive(Debug)]
pub(super) struct Totp {
    algorithm: String,
    /// `None` where the document has no usable key: then no password is accepted.
    key: Option<Vec<u8>>,
    digits: u32,
}

impl Totp {
    /// Reads them from a user's document; `None` if the user needs none.
    pub(super) fn of(document: &Document) -> Option<Totp> {
        let said = document.get("totp")?;
        let member = |name: &str| match said {
            Value::Document(said) => said.get(name),
            _ => None,
        };
        let text = |name: &str| member(name).and_then(|value| value.as_ref().as_str());
        let digits = match member("length") {
            None => 6,
            Some(Value::Int32(digits)) => u32::try_from(*digits).unwrap_or(0),
            Some(_) => 0,
        };
        Some(Totp {
            algorithm: text("algorithm").unwrap_or("sha").to_owned(),
            key: text("key").and_then(from_base_32),
            digits,
        })
    }

    /// Whether this is a one-time password that is valid now.
    pub(super) fn is_right(&self, given: Option<&str>, now_seconds: u64) -> bool {
        let given = given.unwrap_or_default().as_bytes();
        let step = now_seconds / STEP_SECONDS;
        // All are compared, so that the time which that takes does not tell which one it is.
        let mut is_right = Choice::from(0);
        for step in step.saturating_sub(1)..=step + 1 {
            if let Some(code) = self.code(step) {
                is_right |= code.as_bytes().ct_eq(given);
            }
        }
        is_right.into()
    }

    /// The one-time password of a step (RFC 4226, 5.3); `None` where the document names no usable key, algorithm or length.
    fn code(&self, step: u64) -> Option<String> {
        let (key, message) = (self.key.as_deref()?, step.to_be_bytes());
        let digest = match self.algorithm.as_str() {
            "sha" => digest_of::<Hmac<Sha1>>(key, &message),
            "sha224" => digest_of::<Hmac<Sha224>>(key, &message),
            "sha256" => digest_of::<Hmac<Sha256>>(key, &message),
            "sha384" => digest_of::<Hmac<Sha384>>(key, &message),
            "sha512" => digest_of::<Hmac<Sha512>>(key, &message),
            _ => None,
        }?;
        let start = usize::from(digest.last()? & 0xf);
        let bytes: [u8; 4] = digest.get(start..start + 4)?.try_into().ok()?;
        let number = u32::from_be_bytes(bytes) & 0x7fff_ffff;
        let digits = self.digits;
        (6..=8)
            .contains(&digits)
            .then(|| format!("{:0width$}", number % 10u32.pow(digits), width = digits as usize))
    }
}

/// The HMAC of a message.
fn digest_of<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    let mac = <M as Mac>::new_from_slice(key).ok()?;
    Some(mac.chain_update(message).finalize().into_bytes().to_vec())
}

/// The bytes that base 32 stands for (RFC 4648), with or without padding.
fn from_base_32(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 5 / 8);
    let (mut bits, mut count) = (0u32, 0);
    for sign in text.trim_end_matches('=').bytes() {
        let five = match sign {
            b'A'..=b'Z' => sign - b'A',
            b'2'..=b'7' => sign - b'2' + 26,
            _ => return None,
        };
        bits = (bits << 5 | u32::from(five)) & 0xfff;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    (!bytes.is_empty()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    const KEY: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

    fn totp(said: Document) -> Totp {
        Totp::of(&doc! {"totp": said}).unwrap()
    }

    /// The vectors of RFC 6238, appendix B.
    #[test]
    fn codes_are_those_of_the_standard() {
        for (algorithm, length, now_seconds, wanted) in [
            ("sha", 20, 59, "94287082"),
            ("sha", 20, 1_111_111_109, "07081804"),
            ("sha256", 32, 59, "46119246"),
            ("sha512", 64, 59, "90693936"),
        ] {
            let key: Vec<u8> = b"1234567890".iter().copied().cycle().take(length).collect();
            let totp = Totp {
                algorithm: algorithm.to_owned(),
                key: Some(key),
                digits: 8,
            };
            assert_eq!(totp.code(now_seconds / STEP_SECONDS).as_deref(), Some(wanted));
        }
    }

    #[test]
    fn a_code_is_right_for_a_step_before_and_after_its_own() {
        let totp = totp(doc! {"key": KEY});
        for (now_seconds, is_right) in [
            (59, true),
            (30, true),
            (29, true),
            (60, true),
            (89, true),
            (90, false),
        ] {
            assert_eq!(
                totp.is_right(Some("287082"), now_seconds),
                is_right,
                "{now_seconds}"
            );
        }
        assert!(!totp.is_right(Some("287083"), 59));
        assert!(!totp.is_right(Some(""), 59));
        assert!(!totp.is_right(None, 59));
    }

    #[test]
    fn invalid_settings_of_one_time_passwords_let_nobody_in() {
        assert!(Totp::of(&doc! {"name": "jan"}).is_none());
        for said in [
            doc! {},
            doc! {"key": "1"},
            doc! {"key": KEY, "algorithm": "md5"},
            doc! {"key": KEY, "length": 5},
        ] {
            assert_eq!(totp(said).code(1), None);
        }
        assert!(
            !Totp::of(&doc! {"totp": Value::Null})
                .unwrap()
                .is_right(Some(""), 59)
        );
    }

    #[test]
    fn keys_are_read_from_base_32() {
        assert_eq!(from_base_32(KEY).as_deref(), Some(&b"12345678901234567890"[..]));
        assert_eq!(from_base_32("MZXW6===").as_deref(), Some(&b"foo"[..]));
        assert_eq!(from_base_32("MZXW6YQ").as_deref(), Some(&b"foob"[..]));
        assert_eq!(from_base_32("mzxw6"), None);
    }
}
