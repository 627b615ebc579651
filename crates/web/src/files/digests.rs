//! Digests that a client sends with what it uploads: `Content-Digest` and `Repr-Digest` (RFC 9530), and their forerunners
//! `Digest` (RFC 3230) and `Content-MD5` (RFC 1864).

use crate::error::{Result, WebError};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::files::{DigestKind, Digests};
use http::HeaderMap;

/// What the upload's bytes must have.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) digests: Digests,
    pub(crate) kinds: Vec<DigestKind>,
}

impl Declared {
    /// The digests of a request; those of algorithms that are not known are skipped, as the standard says.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Declared> {
        let mut declared = Declared::default();
        for name in ["content-digest", "repr-digest", "digest"] {
            for value in headers.get_all(name) {
                let text = value.to_str().map_err(|_| unreadable(name))?;
                for pair in text.split(',').map(str::trim) {
                    let (algorithm, digest) = pair.split_once('=').ok_or_else(|| unreadable(name))?;
                    if let Some(kind) = kind_of(algorithm) {
                        declared.add(kind, digest.trim_matches(':'), name)?;
                    }
                }
            }
        }
        if let Some(digest) = headers.get("content-md5") {
            let digest = digest.to_str().map_err(|_| unreadable("content-md5"))?;
            declared.add(DigestKind::Md5, digest, "content-md5")?;
        }
        Ok(declared)
    }

    fn add(&mut self, kind: DigestKind, base64: &str, header: &str) -> Result<()> {
        let digest = BASE64_STANDARD.decode(base64).map_err(|_| unreadable(header))?;
        if digest.len() != if kind == DigestKind::Md5 { 16 } else { 32 } {
            return Err(unreadable(header));
        }
        if self.digests.get(kind).is_some_and(|known| known != digest) {
            let reason =
                format!("{header} names another {kind} than the request names before: send one of them");
            return Err(WebError::bad_request(reason));
        }
        self.digests.set(kind, digest);
        self.kinds.push(kind);
        Ok(())
    }
}

fn kind_of(algorithm: &str) -> Option<DigestKind> {
    match algorithm.trim().to_ascii_lowercase().as_str() {
        "sha-256" => Some(DigestKind::Sha256),
        "md5" => Some(DigestKind::Md5),
        _ => None,
    }
}

fn unreadable(header: &str) -> WebError {
    let form = match header {
        "content-md5" => "the 16 bytes of the digest in base64",
        "digest" => "SHA-256=BASE64 or MD5=BASE64",
        _ => "sha-256=:BASE64: or md5=:BASE64:",
    };
    WebError::bad_request(format!("{header} is unreadable; its form is {form}"))
}
