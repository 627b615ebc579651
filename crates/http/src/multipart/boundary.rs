//! The boundary that a media type names.

/// The most bytes of a boundary. The standard allows 70 (RFC 2046, section 5.1.1); some senders take more.
const BOUNDARY_BYTES_MAX: usize = 200;

/// The boundary of a multipart media type; `None` if it has none or an invalid one.
pub fn boundary(content_type: &str) -> Option<String> {
    let kind = content_type.trim_start().get(..10)?;
    if !kind.eq_ignore_ascii_case("multipart/") {
        return None;
    }
    let boundary = parameter(content_type, "boundary")?;
    let is_usable = (1..=BOUNDARY_BYTES_MAX).contains(&boundary.len())
        && boundary.bytes().all(|byte| (0x20..0x7F).contains(&byte));
    is_usable.then_some(boundary)
}

/// A parameter of a header such as `Content-Type` or `Content-Disposition`, quoted or not (RFC 9110, section 5.6.6).
pub fn parameter(header: &str, name: &str) -> Option<String> {
    let mut rest = header.split_once(';')?.1;
    loop {
        let (found, behind) = rest.split_once('=')?;
        let (value, behind) = value(behind.trim_start())?;
        // A parameter before it that has no value is not the one.
        let found = found.rsplit(';').next().unwrap_or_default();
        if found.trim().eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = behind.split_once(';')?.1;
    }
}

/// A value and what follows it.
fn value(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        let (value, behind) = text.split_at(end);
        return Some((value.trim_end().to_owned(), behind));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, quoted.get(at + 1..)?)),
            // Only these two have to be escaped (RFC 9110, section 5.6.4). Browsers and curl escape nothing so, and send a file's
            // name with the backslashes that it has.
            '\\' => match quoted.get(at + 1..)?.chars().next() {
                Some('"' | '\\') => value.push(characters.next()?.1),
                _ => value.push(character),
            },
            character => value.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_escapes_itself_and_quotation_marks_alone() {
        for (header, wanted) in [
            (r#"form-data; filename="a\b\"c.txt""#, Some(r#"a\b"c.txt"#)),
            (r#"form-data; filename="a\\b.txt""#, Some(r"a\b.txt")),
            (r#"form-data; filename="a\""#, None),
        ] {
            assert_eq!(parameter(header, "filename").as_deref(), wanted, "{header}");
        }
    }

    #[test]
    fn a_boundary_is_found_quoted_or_not_among_other_parameters() {
        for (header, wanted) in [
            ("multipart/related; boundary=abc", Some("abc")),
            ("multipart/related;boundary=\"a b;c\"; type=x", Some("a b;c")),
            ("Multipart/Mixed; type=\"x;y=z\"; BOUNDARY=abc ; x=y", Some("abc")),
            ("multipart/related; boundary=\"a\\\"b\"", Some("a\"b")),
            ("multipart/related;; charset ; boundary=abc;", Some("abc")),
            ("multipart/related; boundary=", None),
            ("multipart/related; boundary=\"open", None),
            ("multipart/related", None),
            ("application/json; boundary=abc", None),
        ] {
            assert_eq!(boundary(header).as_deref(), wanted, "{header}");
        }
        assert_eq!(
            boundary(&format!("multipart/mixed; boundary={}", "x".repeat(201))),
            None
        );
    }
}
