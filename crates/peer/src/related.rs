//! The framing of a document whose attachments follow it in parts of their own
//! (`src/couch/src/couch_httpd_multipart.erl`, `encode_multipart_stream`).

/// What the head of an attachment's part says.
#[derive(Clone, Copy, Debug)]
pub struct PartOf<'a> {
    /// The attachment's name.
    pub name: &'a str,
    /// Its media type.
    pub content_type: &'a str,
    /// The bytes that are sent.
    pub length: u64,
    /// Whether they are compressed by gzip.
    pub is_encoded: bool,
}

/// A boundary that nobody can foresee.
pub fn boundary() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// What stands before the document.
pub fn document_head(boundary: &str) -> String {
    format!("--{boundary}\r\nContent-Type: application/json\r\n\r\n")
}

/// What stands between a delimiter and an attachment's bytes. A quote or a line in a name would end its header.
pub fn part_head(part: &PartOf<'_>) -> String {
    let plain = |text: &str| text.replace(['\r', '\n'], " ");
    let mut head = format!(
        "\r\nContent-Disposition: attachment; filename=\"{}\"\r\nContent-Type: {}\r\nContent-Length: {}",
        plain(&part.name.replace('\\', "\\\\").replace('"', "\\\"")),
        plain(part.content_type),
        part.length
    );
    if part.is_encoded {
        head.push_str("\r\nContent-Encoding: gzip");
    }
    head.push_str("\r\n\r\n");
    head
}

/// What stands after a document and after each attachment; two hyphens after the last one end the whole.
pub fn part_end(boundary: &str) -> String {
    format!("\r\n--{boundary}")
}
