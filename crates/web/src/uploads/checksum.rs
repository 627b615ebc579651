//! `Upload-Checksum`: a digest of the bytes of one request (tus' extension checksum).

use crate::error::{Result, WebError};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::StatusCode;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// What `Tus-Checksum-Algorithm` says.
pub(super) const ALGORITHMS: &str = "sha1,sha256,md5,blake3";

/// The status for bytes that do not have the checksum; tus adds it to those of HTTP.
const CHECKSUM_MISMATCH: u16 = 460;

#[derive(Debug)]
pub(super) struct Checksum {
    algorithm: Algorithm,
    digest: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum Algorithm {
    Sha1,
    Sha256,
    Md5,
    Blake3,
}

impl Checksum {
    pub(super) fn parse(header: &str) -> Result<Checksum> {
        let unreadable = || {
            WebError::bad_request(format!(
                "Upload-Checksum: give one of {ALGORITHMS}, a space, and base64"
            ))
        };
        let (name, digest) = header.trim().split_once(' ').ok_or_else(unreadable)?;
        let algorithm = match name {
            "sha1" => Algorithm::Sha1,
            "sha256" => Algorithm::Sha256,
            "md5" => Algorithm::Md5,
            "blake3" => Algorithm::Blake3,
            _ => return Err(unreadable()),
        };
        let digest = BASE64_STANDARD.decode(digest.trim()).map_err(|_| unreadable())?;
        Ok(Checksum { algorithm, digest })
    }

    /// Refuses bytes that do not have the checksum.
    pub(super) fn check(&self, bytes: &[u8]) -> Result<()> {
        let found = match self.algorithm {
            Algorithm::Sha1 => Sha1::digest(bytes).to_vec(),
            Algorithm::Sha256 => Sha256::digest(bytes).to_vec(),
            Algorithm::Md5 => Md5::digest(bytes).to_vec(),
            Algorithm::Blake3 => blake3::hash(bytes).as_bytes().to_vec(),
        };
        if found == self.digest {
            return Ok(());
        }
        let status = StatusCode::from_u16(CHECKSUM_MISMATCH).unwrap_or(StatusCode::BAD_REQUEST);
        let reason = "the bytes do not have the checksum; nothing of them was kept: send them again";
        Err(WebError::new(status, "checksum_mismatch", reason))
    }
}
