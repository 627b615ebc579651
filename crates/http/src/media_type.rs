//! Media types (RFC 9110, section 8.3), as far as a browser's dangers go.

/// Types besides pictures, sound, films and fonts that a browser shows, or saves, without running anything of them.
const HARMLESS: [&str; 5] = [
    "application/json",
    "application/octet-stream",
    "application/pdf",
    "text/csv",
    "text/plain",
];

/// Whether a browser that shows what has this media type runs nothing of it. What is not known is not harmless: a
/// list of the dangerous ones would never be complete.
pub fn is_harmless(content_type: &str) -> bool {
    // Of several types in one header, browsers take the last.
    if content_type.contains(',') {
        return false;
    }
    let kind = content_type.split(';').next().unwrap_or_default();
    let kind = kind.trim().to_ascii_lowercase();
    let Some((group, name)) = kind.split_once('/') else {
        return false;
    };
    match group {
        // A picture in SVG is a page with scripts.
        "image" | "audio" | "video" | "font" => !name.contains("xml"),
        _ => HARMLESS.contains(&kind.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_run_scripts_or_are_unknown_are_not_harmless_however_written() {
        for kind in [
            "TEXT/HTML",
            "text/html; charset=utf-8",
            " Text/Html",
            "image/SVG+xml",
            "application/xhtml+xml",
            "text/xml",
            "image/png, text/html",
            "image/png;a,text/html",
            "multipart/x-mixed-replace; boundary=x",
            "text/something",
            "text",
            "",
        ] {
            assert!(!is_harmless(kind), "{kind}");
        }
        for kind in [
            "text/plain; charset=utf-8",
            "Image/PNG",
            "video/mp4",
            "font/woff2",
            "application/pdf",
        ] {
            assert!(is_harmless(kind), "{kind}");
        }
    }
}
