//! `Upload-Metadata`: keys with values in base64.

use crate::error::{Result, WebError};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::files::{DigestKind, FileEntry};
use value::{Document, Value};

/// What a client tells of its file.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) name: Option<String>,
    pub(super) content_type: Option<String>,
    /// All other keys.
    pub(super) rest: Document,
}

impl Metadata {
    /// Reads the header; clients call name and media type by several keys.
    pub(super) fn parse(header: &str) -> Result<Metadata> {
        let mut metadata = Metadata::default();
        for pair in header.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, encoded) = pair.split_once(' ').unwrap_or((pair, ""));
            let bytes = BASE64_STANDARD
                .decode(encoded.trim())
                .map_err(|_| unreadable(key))?;
            let value = String::from_utf8(bytes).map_err(|_| unreadable(key))?;
            match key {
                "filename" | "name" if metadata.name.is_none() => metadata.name = Some(value),
                "filetype" | "type" | "contentType" if metadata.content_type.is_none() => {
                    metadata.content_type = Some(value);
                }
                // The server keeps the digests that it has computed under these names, and serves them as the file's.
                key if is_digest(key) => {}
                // A document may have a field only once.
                key => metadata.rest.set(key, value),
            }
        }
        Ok(metadata)
    }
}

/// What the entry of a finished upload keeps of the header: all of it, but for which of its names were used for the file's name and
/// media type.
pub(super) fn of_file(entry: &FileEntry) -> String {
    let own = [
        ("filename", entry.name.as_deref()),
        ("filetype", entry.content_type.as_deref()),
    ];
    let own = own.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let rest = entry.metadata.iter().filter_map(|(key, value)| match value {
        Value::String(text) if is_from_client(key) => Some((key, text.as_str())),
        _ => None,
    });
    let pairs = own.chain(rest).map(|(key, value)| match value {
        "" => key.to_owned(),
        value => format!("{key} {}", BASE64_STANDARD.encode(value)),
    });
    pairs.collect::<Vec<_>>().join(",")
}

/// Whether a field of a file's metadata may have come from the header: the server adds some, and drivers may use other names.
fn is_from_client(key: &str) -> bool {
    let is_servers = key == "contentType" || is_digest(key);
    !is_servers && !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',')
}

fn is_digest(key: &str) -> bool {
    DigestKind::ALL.iter().any(|kind| kind.name() == key)
}

fn unreadable(key: &str) -> WebError {
    WebError::bad_request(format!(
        "Upload-Metadata: the value of {key} is not base64 of UTF-8"
    ))
}

#[cfg(test)]
mod tests {
    use super::{Metadata, is_from_client};

    #[test]
    fn no_digest_is_taken_from_the_client() {
        let Ok(metadata) = Metadata::parse("filename YQ==,sha256 MDA=,md5 MDA=,blake3 MDA=,sha1 MDA=") else {
            panic!("it is base64");
        };
        assert_eq!(metadata.name.as_deref(), Some("a"));
        assert_eq!(metadata.rest, value::doc! {"sha1": "00"});
    }

    #[test]
    fn a_key_that_comes_twice_is_kept_once() {
        let Ok(metadata) = Metadata::parse("filename YQ==,colour MQ==,size Mg==,colour Mw==") else {
            panic!("it is base64");
        };
        assert_eq!(metadata.rest, value::doc! {"colour": "3", "size": "2"});
    }

    #[test]
    fn only_metadata_that_a_client_can_have_sent_is_shown() {
        for (key, is_told) in [
            ("colour", true),
            ("contentType", false),
            ("blake3", false),
            ("two words", false),
            ("a,b", false),
            ("größe", false),
            ("", false),
        ] {
            assert_eq!(is_from_client(key), is_told, "{key}");
        }
    }
}
