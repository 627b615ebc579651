//! Links of an object as the header `Link` has them: `</buckets/B/keys/K>; riaktag="T"`, and one to the object's own bucket,
//! `</buckets/B>; rel="up"`.

use super::call::Call;
use crate::content::Link;
use crate::error::{Result, RiakError};
use crate::names::{Bucket, unescaped};
use http::header::LINK;
use http::percent_encode_bytes;
use std::fmt::Write as _;

/// The links that a request brings for an object of a bucket. Those of the first interface, `</riak/B/K>`, and those of the second are
/// taken by both, so that what was read by one can be written by the other.
pub(super) fn read(call: &Call, bucket: &Bucket) -> Result<Vec<Link>> {
    let headers = call.headers.get_all(LINK).into_iter();
    let headers: Vec<&[u8]> = headers.map(http::HeaderValue::as_bytes).collect();
    let links = parse(&String::from_utf8_lossy(&headers.join(&b',')), bucket);
    links.ok_or_else(|| {
        let form = match call.is_old() {
            true => "/riak/BUCKET/KEY",
            false => "/buckets/BUCKET/keys/KEY",
        };
        RiakError::bad(format!(
            "Invalid Link header. Links must be of the form\n<{form}>; riaktag=\"TAG\""
        ))
    })
}

/// The links of a header; `None` if something of it is neither one nor the way up to the object's bucket.
fn parse(header: &str, bucket: &Bucket) -> Option<Vec<Link>> {
    let mut links = Vec::new();
    let mut has_way_up = false;
    let members = header.split(',').map(str::trim);
    for member in members.filter(|member| !member.is_empty()) {
        let (path, attributes) = member.strip_prefix("</")?.split_once('>')?;
        let (attribute, value) = attributes.strip_prefix(';')?.trim_start().split_once("=\"")?;
        let (value, _) = value.split_once('"')?;
        let parts: Vec<&str> = path.split('/').collect();
        if parts.contains(&"") {
            return None;
        }
        match (attribute, parts.as_slice()) {
            ("riaktag", ["buckets", linked, "keys", key] | ["riak", linked, key]) => links.push(Link {
                bucket: unescaped(linked),
                key: unescaped(key),
                tag: unescaped(value),
            }),
            ("rel", path) if value == "up" && !has_way_up && is_path_of(path, bucket) => has_way_up = true,
            _ => return None,
        }
    }
    Some(links)
}

fn is_path_of(path: &[&str], bucket: &Bucket) -> bool {
    // Riak writes a space as a plus.
    let is = |part: &str, name: &[u8]| unescaped(part) == name || unescaped(&part.replace('+', " ")) == name;
    match path {
        ["buckets" | "riak", name] => is(name, &bucket.name),
        ["types", kind, "buckets", name] => is(kind, &bucket.kind) && is(name, &bucket.name),
        _ => false,
    }
}

/// The header for an object of a bucket.
pub(super) fn write(call: &Call, bucket: &Bucket, links: &[Link]) -> String {
    let up = percent_encode_bytes(&bucket.name);
    let mut header = match (call.is_old(), bucket.is_default_type()) {
        (true, _) => format!("</riak/{up}>; rel=\"up\""),
        (false, true) => format!("</buckets/{up}>; rel=\"up\""),
        (false, false) => {
            let kind = percent_encode_bytes(&bucket.kind);
            format!("</types/{kind}/buckets/{up}>; rel=\"up\"")
        }
    };
    for link in links {
        let (bucket, key) = (
            percent_encode_bytes(&link.bucket),
            percent_encode_bytes(&link.key),
        );
        let path = match call.is_old() {
            true => format!("/riak/{bucket}/{key}"),
            false => format!("/buckets/{bucket}/keys/{key}"),
        };
        let tag = percent_encode_bytes(&link.tag);
        let _ = write!(header, ", <{path}>; riaktag=\"{tag}\"");
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(kind: &[u8], name: &[u8]) -> Bucket {
        Bucket::new(Some(kind), name).expect("a bucket")
    }

    #[test]
    fn links_of_both_interfaces_are_read() {
        let link = |bucket: &str, key: &str, tag: &str| Link {
            bucket: bucket.into(),
            key: key.into(),
            tag: tag.into(),
        };
        let own = bucket(b"default", b"my bucket");
        for (header, links) in [
            ("", vec![]),
            (
                "</buckets/b/keys/k%2F1>; riaktag=\"a%20b\"",
                vec![link("b", "k/1", "a b")],
            ),
            (
                "</riak/b/k>;riaktag=\"t\", </buckets/my%20bucket>; rel=\"up\",</buckets/b/keys/l>; riaktag=\"u\"; x",
                vec![link("b", "k", "t"), link("b", "l", "u")],
            ),
            // A link that came by protocol buffers without a tag is returned without one.
            ("</buckets/b/keys/k>; riaktag=\"\"", vec![link("b", "k", "")]),
            ("</buckets/my+bucket>; rel=\"up\"", vec![]),
            ("</riak/my%20bucket>; rel=\"up\"", vec![]),
            ("</types/default/buckets/my%20bucket>; rel=\"up\"", vec![]),
        ] {
            assert_eq!(parse(header, &own), Some(links), "{header}");
        }
        let typed = bucket(b"t", b"b");
        for header in ["</types/t/buckets/b>; rel=\"up\"", "</buckets/b>; rel=\"up\""] {
            assert_eq!(parse(header, &typed), Some(vec![]), "{header}");
        }
    }

    #[test]
    fn a_header_with_a_malformed_link_is_refused_as_a_whole() {
        let own = bucket(b"default", b"b");
        for header in [
            "nothing",
            "</a>; riaktag=\"t\"",
            "</buckets/b/keys/k>",
            "</buckets/b/keys/k>; riaktag=t",
            "</buckets/b/keys/k>; riaktag=\"t",
            "</buckets/b/keys/k>; title=\"t\"",
            "</buckets/b/keys/>; riaktag=\"t\"",
            "</buckets//keys/k>; riaktag=\"t\"",
            "</raw/b/k>; riaktag=\"t\"",
            "</types/t/buckets/b/keys/k>; riaktag=\"t\"",
            "<http://localhost/buckets/b/keys/k>; riaktag=\"t\"",
            "</buckets/b>; riaktag=\"t\"",
            "</buckets/other>; rel=\"up\"",
            "</types/t/buckets/b>; rel=\"up\"",
            "</buckets/b>; rel=\"down\"",
            "</buckets/b>; rel=\"up\", </buckets/b>; rel=\"up\"",
            "</buckets/b/keys/k>; rel=\"up\"",
            "</buckets/b/keys/k>; riaktag=\"t\", nothing",
        ] {
            assert_eq!(parse(header, &own), None, "{header}");
        }
    }
}
