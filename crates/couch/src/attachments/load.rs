//! Attachments in full within a document's JSON.

use super::Attachment;
use crate::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::files::Files;
use std::collections::BTreeMap;
use std::sync::Arc;
use value::RawDocument;

/// The bytes of attachments in base64, by name.
pub(crate) type Loaded = BTreeMap<String, String>;

/// Which attachments are given in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// None: all are stubs.
    None,
    /// Those that came after this generation.
    Since(i64),
}

/// Reads the attachments that are wanted.
pub(crate) async fn load(files: &Files, body: RawDocument<'_>, wanted: Wanted) -> Result<Loaded> {
    let mut loaded = Loaded::new();
    let Wanted::Since(generation) = wanted else {
        return Ok(loaded);
    };
    let attachments = Attachment::all(body);
    for attachment in attachments
        .into_iter()
        .filter(|attachment| attachment.revpos > generation)
    {
        let data = read(files, &attachment).await?;
        loaded.insert(attachment.name, BASE64_STANDARD.encode(data));
    }
    Ok(loaded)
}

async fn read(files: &Files, attachment: &Attachment) -> Result<Vec<u8>> {
    let missing = || CouchError::not_found("Document is missing attachment");
    let entry = files.find_id(&attachment.file).await?.ok_or_else(missing)?;
    let mut bytes = Vec::new();
    let mut reader = files.open(&Arc::clone(&entry), 0..entry.length)?;
    while let Some(piece) = reader.next().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}
