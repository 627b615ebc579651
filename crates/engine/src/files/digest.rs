//! Digests of whole files: always BLAKE3; SHA-256 and MD5 if a protocol uses them.

use md5::{Digest, Md5};
use sha2::Sha256;
use std::fmt;
use value::unhex;

/// A kind of digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestKind {
    /// BLAKE3, kept with every file that the server writes.
    Blake3,
    /// SHA-256, which HTTP's `Content-Digest` has (RFC 9530).
    Sha256,
    /// MD5, which CouchDB's attachments have; no protection against forgery.
    Md5,
}

impl DigestKind {
    /// All kinds.
    pub const ALL: [DigestKind; 3] = [DigestKind::Blake3, DigestKind::Sha256, DigestKind::Md5];

    /// Its name among the metadata of a file.
    pub fn name(self) -> &'static str {
        match self {
            DigestKind::Blake3 => "blake3",
            DigestKind::Sha256 => "sha256",
            DigestKind::Md5 => "md5",
        }
    }

    fn bytes(self) -> usize {
        match self {
            DigestKind::Blake3 | DigestKind::Sha256 => 32,
            DigestKind::Md5 => 16,
        }
    }
}

impl fmt::Display for DigestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The known digests of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    known: [Option<Vec<u8>>; 3],
}

impl Digests {
    /// The digest of a kind.
    pub fn get(&self, kind: DigestKind) -> Option<&[u8]> {
        self.known[kind as usize].as_deref()
    }

    /// Sets a digest.
    pub fn set(&mut self, kind: DigestKind, digest: impl Into<Vec<u8>>) {
        self.known[kind as usize] = Some(digest.into());
    }

    /// The known digests.
    pub fn iter(&self) -> impl Iterator<Item = (DigestKind, &[u8])> {
        DigestKind::ALL
            .into_iter()
            .filter_map(|kind| Some((kind, self.get(kind)?)))
    }

    /// The first kind for which both are known and differ.
    pub(super) fn difference(&self, declared: &Digests) -> Option<DigestKind> {
        declared
            .iter()
            .find(|(kind, digest)| self.get(*kind).is_some_and(|own| own != *digest))
            .map(|(kind, _)| kind)
    }
}

/// Parses the hexadecimal digits of a digest of this kind; `None` if the text is not one.
pub(super) fn from_hex(kind: DigestKind, text: &str) -> Option<Vec<u8>> {
    unhex(text).filter(|digest| digest.len() == kind.bytes())
}

/// Computes digests as bytes come in.
#[derive(Clone, Debug)]
pub(super) struct Digester {
    blake3: Box<blake3::Hasher>,
    sha256: Option<Sha256>,
    md5: Option<Md5>,
}

impl Digester {
    /// One for BLAKE3 and these kinds.
    pub(super) fn new(kinds: &[DigestKind]) -> Digester {
        Digester {
            blake3: Box::default(),
            sha256: kinds.contains(&DigestKind::Sha256).then(Sha256::new),
            md5: kinds.contains(&DigestKind::Md5).then(Md5::new),
        }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.blake3.update(bytes);
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(bytes);
        }
        if let Some(md5) = &mut self.md5 {
            md5.update(bytes);
        }
    }

    pub(super) fn finish(self) -> Digests {
        let mut digests = Digests::default();
        digests.set(DigestKind::Blake3, *self.blake3.finalize().as_bytes());
        if let Some(sha256) = self.sha256 {
            digests.set(DigestKind::Sha256, sha256.finalize().to_vec());
        }
        if let Some(md5) = self.md5 {
            digests.set(DigestKind::Md5, md5.finalize().to_vec());
        }
        digests
    }
}
