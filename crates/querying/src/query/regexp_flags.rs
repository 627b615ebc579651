//! The flags of `regexp`: which of Lucene's optional operators an expression has.

use mapping::error::{Result, SearchError};
use mapping::json::Members;

/// All operators. It was 0xffff before.
const ALL: i64 = 0xff;

/// The flags, with their bits and the signs that mean something where they are set.
const FLAGS: [(&str, i64, char); 5] = [
    ("INTERSECTION", 0x01, '&'),
    ("COMPLEMENT", 0x02, '~'),
    ("EMPTY", 0x04, '#'),
    ("ANYSTRING", 0x08, '@'),
    ("INTERVAL", 0x20, '<'),
];

/// Takes the flags of an expression: those that are named, or else their bits.
pub(super) fn taken(members: &mut Members<'_>) -> Result<i64> {
    let bits = members.integer("flags_value")?;
    let Some(named) = members.text("flags")?.filter(|named| !named.is_empty()) else {
        return Ok(bits.unwrap_or(ALL));
    };
    let mut found = 0;
    for name in named.split('|').filter(|name| !name.is_empty()) {
        let upper = name.to_uppercase();
        found |= match (FLAGS.iter().find(|(flag, ..)| *flag == upper), upper.as_str()) {
            (Some((_, bits, _)), _) => *bits,
            (None, "ALL") => return Ok(ALL),
            (None, "NONE") => 0,
            (None, _) => return Err(SearchError::illegal(format!("Unknown regexp flag [{name}]"))),
        };
    }
    Ok(found)
}

/// The expression in which the signs of operators that it does not have are letters. Within texts and classes no sign is an operator.
pub(super) fn without(expression: &str, flags: i64) -> String {
    let is_letter = |c: char| FLAGS.iter().any(|(_, bit, sign)| *sign == c && flags & bit == 0);
    let mut out = String::with_capacity(expression.len());
    // What ends the text or the class in which the next character is.
    let mut until = None;
    let mut chars = expression.chars().peekable();
    while let Some(c) = chars.next() {
        if until.is_none() && is_letter(c) {
            out.push('\\');
        }
        out.push(c);
        match (c, until) {
            ('\\', None | Some(']')) => out.extend(chars.next()),
            ('"', None) => until = Some('"'),
            ('[', None) => {
                out.extend(chars.next_if_eq(&'^'));
                // The first one is of the class even if it could end it.
                out.extend(chars.next_if_eq(&']'));
                until = Some(']');
            }
            _ if until == Some(c) => until = None,
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn operators_without_their_flag_are_letters() {
        let bits = |given: serde_json::Value| taken(&mut Members::of("regexp", &given).unwrap());
        let cases = [
            (json!({}), r"a<b&[&]\&~"),
            (json!({"flags": "NONE"}), r"a\<b\&[&]\&\~"),
            (
                json!({"flags": "intersection|COMPLEMENT", "flags_value": 0}),
                r"a\<b&[&]\&~",
            ),
            (json!({"flags_value": 0x20}), r"a<b\&[&]\&\~"),
        ];
        for (flags, expected) in cases {
            assert_eq!(without(r"a<b&[&]\&~", bits(flags).unwrap()), expected);
        }
        assert_eq!(without(r#""a&b"[]&]&"#, 0), r#""a&b"[]&]\&"#);
        assert!(bits(json!({"flags": "SOME"})).is_err());
    }
}
