//! Percent-encoding (RFC 3986, section 2.1).

use std::borrow::Cow;

/// Decodes `%2F` to `/`; `None` if an escape is cut off or not hexadecimal, or the bytes are not UTF-8.
pub fn percent_decode(text: &str) -> Option<Cow<'_, str>> {
    let Some(first) = text.find('%') else {
        return Some(Cow::Borrowed(text));
    };
    let mut bytes = Vec::with_capacity(text.len());
    let (plain, mut rest) = text.as_bytes().split_at(first);
    bytes.extend_from_slice(plain);
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte == b'%' {
            let (digits, behind) = rest.split_first_chunk::<2>()?;
            bytes.push(hex(digits[0])? << 4 | hex(digits[1])?);
            rest = behind;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// Encodes all but the unreserved characters (RFC 3986, section 2.3).
pub fn percent_encode(text: &str) -> String {
    percent_encode_bytes(text.as_bytes())
}

/// The same of bytes, which need not be text.
pub fn percent_encode_bytes(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push(char::from(DIGITS[usize::from(byte >> 4)]));
            encoded.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    encoded
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_escapes_and_keeps_the_rest() {
        assert_eq!(
            percent_decode("fleet%2Freadings").as_deref(),
            Some("fleet/readings")
        );
        assert_eq!(percent_decode("a+b").as_deref(), Some("a+b"));
        assert_eq!(percent_decode("%C3%bc").as_deref(), Some("ü"));
    }

    #[test]
    fn refuses_escapes_that_are_cut_off_or_no_text() {
        for wrong in ["%", "%4", "%zz", "%ff", "a%C3"] {
            assert_eq!(percent_decode(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn decoding_reverses_encoding() {
        let text = "a/b?c=d&ü %";
        assert_eq!(percent_decode(&percent_encode(text)).as_deref(), Some(text));
    }
}
