//! `Upload-Concat`: a file sent as several uploads side by side, which are joined at last (tus' extension concatenation).

use super::UPLOAD_CONCAT;
use crate::call::{Call, object_id};
use crate::error::{Result, WebError};
use crate::limits::JOINED_PARTS_MAX;
use engine::files::{Bucket, UploadKind};
use http::HeaderValue;
use value::ObjectId;

/// What a client says of an upload that is joined with others.
#[derive(Debug)]
pub(super) enum Concat {
    /// It is a part.
    Partial,
    /// It is to be made of parts.
    Final {
        parts: Vec<ObjectId>,
        /// The header, as it was sent.
        header: String,
    },
}

impl Concat {
    /// Reads the header of a request that begins an upload in a bucket.
    pub(super) fn of(call: &Call, bucket: &Bucket) -> Result<Option<Concat>> {
        let Some(header) = call.request.header(UPLOAD_CONCAT.as_str()) else {
            return Ok(None);
        };
        if header == "partial" {
            return Ok(Some(Concat::Partial));
        }
        let named = header.strip_prefix("final;").unwrap_or_default();
        if named.split_whitespace().count() > JOINED_PARTS_MAX {
            let reason = format!("Upload-Concat: a file is made of at most {JOINED_PARTS_MAX} parts");
            return Err(WebError::bad_request(reason));
        }
        let found = |address| {
            let is_here = |at| call.files(at).is_ok_and(|files| files.bucket() == bucket);
            let here = part(address).filter(|(at, _)| is_here(at));
            here.map(|(_, id)| id).ok_or_else(|| {
                let reason =
                    format!("Upload-Concat: {address} is not the address of an upload of this bucket");
                WebError::bad_request(reason)
            })
        };
        let parts = named.split_whitespace().map(found).collect::<Result<Vec<_>>>()?;
        if parts.is_empty() {
            return Err(WebError::bad_request(
                "Upload-Concat: say partial, or final; and the addresses of the parts with spaces between them",
            ));
        }
        let header = header.to_owned();
        Ok(Some(Concat::Final { parts, header }))
    }
}

/// The header that says how an upload is joined with others.
pub(super) fn header(kind: &UploadKind) -> Option<HeaderValue> {
    match kind {
        UploadKind::Whole => None,
        UploadKind::Part => Some(HeaderValue::from_static("partial")),
        UploadKind::Joined(named) => HeaderValue::from_str(named).ok(),
    }
}

/// The bucket and the upload that an address names: a path, or a URL under whatever name the client knows the server.
fn part(address: &str) -> Option<(&str, ObjectId)> {
    let mut segments = address.rsplit('/');
    let id = object_id(segments.next()?)?;
    let bucket = segments.next()?;
    (segments.next() == Some("uploads")).then_some((bucket, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_path_or_url() {
        let id = "0123456789abcdef01234567";
        for address in ["/uploads/fs", "https://example.com/behind/uploads/fs"] {
            let address = format!("{address}/{id}");
            let id = object_id(id).map(|id| ("fs", id));
            assert!(id.is_some() && part(&address) == id, "{address}");
        }
        for address in ["/files/fs/", "uploads/", "/uploads/fs/1", ""] {
            assert_eq!(part(&format!("{address}{id}")), None, "{address}");
        }
    }
}
