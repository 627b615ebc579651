//! One version of an object: a value with what its writer said of it.

use bytes::Bytes;
use value::ObjectId;

/// A value with its metadata.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Content {
    pub(crate) value: Bytes,
    /// Where the value is a file; `value` is empty then.
    pub(crate) large: Option<LargeValue>,
    pub(crate) content_type: Option<Vec<u8>>,
    pub(crate) charset: Option<Vec<u8>>,
    pub(crate) encoding: Option<Vec<u8>>,
    /// Names without `X-Riak-Meta-`.
    pub(crate) user_meta: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) links: Vec<Link>,
    /// Names of secondary indexes with terms, as clients write them.
    pub(crate) indexes: Vec<(Vec<u8>, Vec<u8>)>,
    /// When it was written, in milliseconds since 1970; unknown where another protocol wrote it.
    pub(crate) modified_ms: Option<u64>,
}

/// A value that is a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LargeValue {
    pub(crate) file: ObjectId,
    pub(crate) length: u64,
    /// `md5-` and the digest in base64, as CouchDB has it.
    pub(crate) digest: String,
}

/// A pointer to another object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Link {
    pub(crate) bucket: Vec<u8>,
    pub(crate) key: Vec<u8>,
    pub(crate) tag: Vec<u8>,
}

/// What two byte strings, or the three of a link, take beside their bytes.
const PAIR_BYTES: usize = 2 * (size_of::<Vec<u8>>() + 16);
const LINK_BYTES: usize = 3 * (size_of::<Vec<u8>>() + 16);

impl Content {
    /// About the bytes that it takes in memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        let pairs = self.user_meta.iter().chain(&self.indexes);
        let pairs = pairs.map(|(name, value)| PAIR_BYTES + name.len() + value.len());
        let links = self.links.iter();
        let links = links.map(|link| LINK_BYTES + link.bucket.len() + link.key.len() + link.tag.len());
        self.value.len() + pairs.sum::<usize>() + links.sum::<usize>()
    }

    /// The media type without its parameters, in lower case.
    pub(crate) fn media_type(&self) -> String {
        let text = String::from_utf8_lossy(self.content_type.as_deref().unwrap_or_default());
        let kind = text.split(';').next().unwrap_or_default();
        kind.trim().to_ascii_lowercase()
    }

    /// The bytes of the value.
    pub(crate) fn length(&self) -> u64 {
        let large = self.large.as_ref();
        large.map_or(self.value.len() as u64, |large| large.length)
    }

    /// The value as functions see it; else why they cannot.
    pub(crate) fn text(&self) -> Result<&str, String> {
        match &self.large {
            Some(large) => Err(format!(
                "too_large: functions see values of documents, and this one of {} bytes is a file",
                large.length
            )),
            None => std::str::from_utf8(&self.value)
                .map_err(|_| "bad_utf8_character_code: the value is no UTF-8".to_owned()),
        }
    }

    /// Whether the value is JSON as it lies there.
    pub(crate) fn is_json(&self) -> bool {
        let kind = self.media_type();
        (kind == "application/json" || kind.ends_with("+json")) && self.encoding.is_none()
    }
}

/// Riak's text of a hash: of a revision's the vtag of a sibling, the entity tag of an object.
pub(crate) fn vtag(hash: &[u8]) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut number = hash
        .iter()
        .fold(0u128, |number, &byte| number.rotate_left(8) ^ u128::from(byte));
    let mut text = Vec::with_capacity(22);
    while number > 0 || text.is_empty() {
        text.push(DIGITS[(number % 62) as usize]);
        number /= 62;
    }
    text.reverse();
    String::from_utf8_lossy(&text).into_owned()
}
