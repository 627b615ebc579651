//! Signatures of tokens (JSON Web Signature, RFC 7515; the algorithms of RFC 7518, section 3.1) and the keys that check them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use ring::signature::{self, UnparsedPublicKey, VerificationAlgorithm};
use sha2::{Sha256, Sha384, Sha512};

/// How a token is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenSignature {
    /// HMAC with SHA-256.
    Hs256,
    /// HMAC with SHA-384.
    Hs384,
    /// HMAC with SHA-512.
    Hs512,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    Rs384,
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    Rs512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
}

impl TokenSignature {
    /// The one of this name (`alg` of a token's header); `None` if there is none of this name or it is not supported.
    pub fn named(name: &str) -> Option<TokenSignature> {
        Some(match name {
            "HS256" => TokenSignature::Hs256,
            "HS384" => TokenSignature::Hs384,
            "HS512" => TokenSignature::Hs512,
            "RS256" => TokenSignature::Rs256,
            "RS384" => TokenSignature::Rs384,
            "RS512" => TokenSignature::Rs512,
            "ES256" => TokenSignature::Es256,
            "ES384" => TokenSignature::Es384,
            _ => return None,
        })
    }

    /// The kind of keys that it takes: `hmac`, `rsa` or `ec`.
    pub fn kind(self) -> &'static str {
        match self {
            TokenSignature::Hs256 | TokenSignature::Hs384 | TokenSignature::Hs512 => "hmac",
            TokenSignature::Rs256 | TokenSignature::Rs384 | TokenSignature::Rs512 => "rsa",
            TokenSignature::Es256 | TokenSignature::Es384 => "ec",
        }
    }

    /// A key in the form of [`TokenSignature::is_right`]: a secret is given in base64, a public key as PEM. `None` if it is neither.
    pub fn key(self, text: &str) -> Option<Vec<u8>> {
        match self.kind() {
            "hmac" => BASE64_STANDARD.decode(text.trim()).ok(),
            _ => public_key(text),
        }
    }

    /// The curve whose keys it takes (RFC 7518, section 3.4); `None` if it takes others.
    pub fn curve(self) -> Option<&'static str> {
        match self {
            TokenSignature::Es256 => Some("P-256"),
            TokenSignature::Es384 => Some("P-384"),
            _ => None,
        }
    }

    /// Whether a key is one of those that it takes: a point of a curve is as long as the curve's numbers.
    pub fn takes(self, key: &[u8]) -> bool {
        match self {
            TokenSignature::Es256 => key.len() == 1 + 2 * 32,
            TokenSignature::Es384 => key.len() == 1 + 2 * 48,
            _ => true,
        }
    }

    /// Whether a code is the signature of a message by this key.
    pub fn is_right(self, key: &[u8], message: &[u8], code: &[u8]) -> bool {
        let by: &'static dyn VerificationAlgorithm = match self {
            TokenSignature::Hs256 => return by_secret(Hmac::<Sha256>::new_from_slice(key), message, code),
            TokenSignature::Hs384 => return by_secret(Hmac::<Sha384>::new_from_slice(key), message, code),
            TokenSignature::Hs512 => return by_secret(Hmac::<Sha512>::new_from_slice(key), message, code),
            TokenSignature::Rs256 => &signature::RSA_PKCS1_2048_8192_SHA256,
            TokenSignature::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
            TokenSignature::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
            TokenSignature::Es256 => &signature::ECDSA_P256_SHA256_FIXED,
            TokenSignature::Es384 => &signature::ECDSA_P384_SHA384_FIXED,
        };
        UnparsedPublicKey::new(by, key).verify(message, code).is_ok()
    }
}

fn by_secret<M: Mac, E>(mac: Result<M, E>, message: &[u8], code: &[u8]) -> bool {
    mac.is_ok_and(|mac| mac.chain_update(message).verify_slice(code).is_ok())
}

/// The key itself of a PEM text (`SubjectPublicKeyInfo`, RFC 5280, section 4.1: an algorithm, then a bit string with the key). Line
/// ends may be written as `\n`, as settings have them.
fn public_key(pem: &str) -> Option<Vec<u8>> {
    let text = pem.replace("\\n", "\n");
    let lines = text.lines().map(str::trim);
    let encoded: String = lines.filter(|line| !line.starts_with("-----")).collect();
    let der = BASE64_STANDARD.decode(encoded).ok()?;
    let (0x30, info, _) = element(&der)? else {
        return None;
    };
    let (0x30, _, rest) = element(info)? else {
        return None;
    };
    let (0x03, bits, _) = element(rest)? else {
        return None;
    };
    // All bits of the last byte are used.
    bits.strip_prefix(&[0]).map(<[u8]>::to_vec)
}

/// The tag and the content of the first element of DER (X.690, section 8.1), and what follows it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = bytes
                .iter()
                .fold(0, |length, &byte| length << 8 | usize::from(byte));
            (length, rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_other_curves_are_known_by_their_length() {
        let (short, long) = ([4; 65], [4; 97]);
        for (signature, takes) in [
            (TokenSignature::Es256, (true, false)),
            (TokenSignature::Es384, (false, true)),
            (TokenSignature::Hs256, (true, true)),
        ] {
            assert_eq!(
                (signature.takes(&short), signature.takes(&long)),
                takes,
                "{signature:?}"
            );
        }
    }

    #[test]
    fn another_secret_signs_otherwise() {
        let code = Hmac::<Sha256>::new_from_slice(b"one")
            .unwrap()
            .chain_update(b"text")
            .finalize()
            .into_bytes();
        assert!(TokenSignature::Hs256.is_right(b"one", b"text", &code));
        assert!(!TokenSignature::Hs256.is_right(b"two", b"text", &code));
    }
}
