//! The page at `/`: files that were compressed when the program was built.
//!
//! All but `index.html` are served below a name that changes with any of them, so browsers keep them for ever; `index.html`
//! is asked for each time. Its policy (CSP) lets the page run, load and send nothing except from and to this server.

mod files;

use crate::call::Call;
use crate::error::{Result, WebError};
use crate::respond;
use files::{FILES, File};
use flate2::read::GzDecoder;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{Body, HeaderName, HeaderValue, Response, StatusCode, accepts_encoding, if_none_match};
use std::io::Read;

pub(crate) use files::VERSION;

/// What may run is the page's own modules, and what stands in the page itself, named by hashes.
const POLICY: &str = concat!(
    "default-src 'none'; script-src 'self' ",
    include_str!(concat!(env!("OUT_DIR"), "/inline_scripts")),
    "; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; ",
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
);

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// `/`: the page itself.
pub(crate) fn index(call: &Call) -> Result<Response> {
    let mut response = named(call, "index.html")?;
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    );
    Ok(response)
}

/// `/page/VERSION/NAME`: one of its files.
pub(crate) fn file(call: &Call, path: &str) -> Result<Response> {
    let unknown = || WebError::not_found("the page has no such file; / has the names of those that it has");
    let (version, name) = path.split_once('/').ok_or_else(unknown)?;
    if version != VERSION {
        return Err(unknown());
    }
    let mut response = named(call, name)?;
    response.headers_mut().insert(CACHE_CONTROL, FOR_EVER);
    Ok(response)
}

fn named(call: &Call, name: &str) -> Result<Response> {
    let file = FILES.iter().find(|file| file.name == name);
    let file = file.ok_or_else(|| WebError::not_found(format!("the page has no file {name}")))?;
    // Weak: compressed or not, it is the same file, and not the same bytes (RFC 9110, section 8.8.3.3).
    let tag = format!("W/\"{VERSION}\"");
    let mut response = match if_none_match(&call.request.headers, &tag) {
        true => respond::empty(StatusCode::NOT_MODIFIED),
        false => whole(call, file)?,
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    );
    Ok(response)
}

fn whole(call: &Call, file: &File) -> Result<Response> {
    let packed = accepts_encoding(&call.request.headers, "gzip");
    let body = match packed {
        true => Body::from(file.packed),
        false => Body::from(unpacked(file)?),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.kind));
    if packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

fn unpacked(file: &File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = GzDecoder::new(file.packed).read_to_end(&mut bytes);
    let failed = |error: std::io::Error| {
        WebError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error.to_string())
    };
    read.map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Bytes of Larder's own files as they are sent; what others made is named in `vendor.toml`.
    const OWN_BYTES_MAX: usize = 90_000;
    /// The bytes and requests of all files that the view of logs loads, third-party files among them.
    const LOGS_BYTES_MAX: usize = 45_000;
    const LOGS_REQUESTS_MAX: usize = 30;

    #[test]
    fn the_pages_own_files_stay_small() {
        let own = FILES.iter().filter(|file| !file.name.starts_with("vendor/"));
        let bytes: usize = own.map(|file| file.packed.len()).sum();
        assert!(
            bytes <= OWN_BYTES_MAX,
            "the page's own files have {bytes} bytes, more than {OWN_BYTES_MAX}"
        );
    }

    #[test]
    fn the_view_of_logs_comes_in_few_requests() {
        let file = |name: &str| FILES.iter().find(|file| file.name == name).unwrap();
        let page = String::from_utf8(unpacked(file("index.html")).unwrap()).unwrap();
        let mut names = BTreeSet::from(["index.html"]);
        for linked in page.split(&format!("=\"/page/{VERSION}/")).skip(1) {
            names.extend(linked.split_once('"').map(|(name, _)| name));
        }
        let (_, of_logs) = page.split_once("\"logs\": [").unwrap();
        let (of_logs, _) = of_logs.split_once(']').unwrap();
        names.extend(of_logs.split(", ").map(|name| name.trim_matches('"')));
        assert!(
            names.contains("app.js") && names.contains("views/logs.js"),
            "{names:?}"
        );
        let bytes: usize = names.iter().map(|name| file(name).packed.len()).sum();
        assert!(
            bytes <= LOGS_BYTES_MAX,
            "{bytes} bytes, more than {LOGS_BYTES_MAX}"
        );
        assert!(names.len() <= LOGS_REQUESTS_MAX, "{names:?}");
    }
}
