//! JSON as Riak reads it. Its parser (mochijson2) takes texts that are not quite JSON, and clients send them.

use crate::limits::LOOSE_JSON_BYTES_MAX;
use serde_json::Value;

/// Reads JSON, and what Riak's parser reads besides: a backslash that begins no escape and stands for itself, as in the
/// pattern `\w` of a script; line ends and other control characters within texts; a comma after the last element or member.
///
/// # Errors
///
/// That of the text as it came, if it is neither.
pub(crate) fn read(text: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice(text).or_else(|error| {
        if text.len() > LOOSE_JSON_BYTES_MAX {
            return Err(error);
        }
        serde_json::from_slice(&strict(text)).map_err(|_| error)
    })
}

/// The same text as JSON, if Riak's parser reads it.
fn strict(text: &[u8]) -> Vec<u8> {
    let mut strict = Vec::with_capacity(text.len() + text.len() / 8);
    let mut is_in_text = false;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                is_in_text = !is_in_text;
                strict.push(byte);
            }
            b'\\' if is_in_text => match bytes.next_if(|next| br#""\/bfnrtu"#.contains(next)) {
                Some(escaped) => strict.extend([byte, escaped]),
                None => strict.extend(br"\\"),
            },
            0..0x20 if is_in_text => strict.extend(format!("\\u{byte:04x}").bytes()),
            b']' | b'}' if !is_in_text => {
                drop_last_comma(&mut strict);
                strict.push(byte);
            }
            _ => strict.push(byte),
        }
    }
    strict
}

/// Removes a comma at the end that follows an element or a member.
fn drop_last_comma(strict: &mut Vec<u8>) {
    if let Some(before) = strict.trim_ascii_end().strip_suffix(b",")
        && !matches!(before.trim_ascii_end().last(), Some(b'[' | b'{') | None)
    {
        let length = before.len();
        strict.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_not_quite_json_is_read_as_riak_reads_it() {
        let cases = [
            (r#"{"a": "\w*\n\\d\"\'"}"#, json!({"a": "\\w*\n\\d\"\\'"})),
            ("[\"a\n\tb\", 1]", json!(["a\n\tb", 1])),
            ("{\"a\": [1, 2 , ], }", json!({"a": [1, 2]})),
            (r#"["a, ]\q,]"]"#, json!(["a, ]\\q,]"])),
            ("[\"\\\n\"]", json!(["\\\n"])),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text.as_bytes()).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_riak_refuses_is_refused_with_the_error_of_the_text_itself() {
        for text in [
            "[,]",
            "{,}",
            "[1,,]",
            "{a: 1}",
            "'a'",
            r#""\uZZZZ""#,
            "[1 2]",
            "\"a",
            "",
        ] {
            let error = serde_json::from_str::<Value>(text).unwrap_err().to_string();
            assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), error, "{text}");
        }
    }
}
