//! Answers as YAML, in the form in which Elasticsearch writes it: a line for each value, texts in quotes.

use serde_json::Value;

/// A value as a whole document.
pub fn document(value: &Value) -> String {
    let mut out = "---".to_owned();
    match is_block(value) {
        true => {
            out.push('\n');
            block(&mut out, value, 0, false);
        }
        false => {
            out.push(' ');
            scalar(&mut out, value);
        }
    }
    out
}

/// Whether a value takes lines of its own.
fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

/// Writes the lines of an object or a list; the first of them may have been begun.
fn block(out: &mut String, value: &Value, indent: usize, mut is_begun: bool) {
    let mut begin = |out: &mut String| {
        if !std::mem::take(&mut is_begun) {
            out.push_str(&" ".repeat(indent));
        }
    };
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                begin(out);
                key(out, name);
                match is_block(member) {
                    true => {
                        out.push_str(":\n");
                        // The items of a list stand below its name.
                        let within = if member.is_array() { indent } else { indent + 2 };
                        block(out, member, within, false);
                    }
                    false => {
                        out.push_str(": ");
                        scalar(out, member);
                    }
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                begin(out);
                out.push_str("- ");
                match is_block(item) {
                    true => block(out, item, indent + 2, true),
                    false => scalar(out, item),
                }
            }
        }
        other => scalar(out, other),
    }
}

/// Writes a value that takes the rest of its line. JSON's texts in quotes are YAML's.
fn scalar(out: &mut String, value: &Value) {
    out.push_str(&value.to_string());
    out.push('\n');
}

/// Writes a name, in quotes where it could be read as anything else.
fn key(out: &mut String, name: &str) {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./$()".contains(c);
    match name.chars().all(is_plain) && name.starts_with(|c: char| c.is_alphanumeric() || "_/$".contains(c)) {
        true => out.push_str(name),
        false => out.push_str(&Value::from(name).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn objects_and_lists_are_lines() {
        let value = json!({"a": 1, "b": {"c": "x \"y\"\n", "d": [1, {"e": null, "f": [[true], []]}], "g": {}}, "@t": -1.5, "": "ä"});
        let wanted = "---\na: 1\nb:\n  c: \"x \\\"y\\\"\\n\"\n  d:\n  - 1\n  - e: null\n    f:\n    - - true\n    - []\n  g: {}\n\"@t\": -1.5\n\"\": \"ä\"\n";
        assert_eq!(document(&value), wanted);
    }

    #[test]
    fn what_is_empty_stands_in_the_first_line() {
        assert_eq!(document(&json!({})), "--- {}\n");
        assert_eq!(document(&json!([])), "--- []\n");
        assert_eq!(document(&json!([{"a": "b"}])), "---\n- a: \"b\"\n");
    }
}
