//! What new passwords must look like: the setting `[chttpd_auth] password_regexp` (`src/couch/src/couch_users_db.erl`,
//! `validate_password`).
//!
//! Its value is a list in Erlang's syntax: `[{".{10,}", "Ten characters at least."}, "[0-9]+"]`. Each entry is a regular expression
//! that the password must match, or a pair of one and what is said where it does not.

use crate::config::Config;
use crate::error::{CouchError, Result};
use mango::Selector;
use value::doc;

const REFUSAL: &str = "Password does not conform to requirements.";

/// One expression and what is said where it is not matched.
#[derive(Debug, PartialEq, Eq)]
struct Requirement {
    expression: String,
    reason: String,
}

/// Refuses a password that does not meet the requirements.
pub(super) fn check(config: &Config, password: &str) -> Result<()> {
    let setting = config.get("chttpd_auth", "password_regexp");
    let Some(setting) = setting.filter(|setting| !setting.is_empty()) else {
        return Ok(());
    };
    for requirement in parse(&setting).ok_or_else(super::derived::refused)? {
        if !is_matched(&requirement.expression, password) {
            let reason = match requirement.reason.is_empty() {
                true => REFUSAL.to_owned(),
                false => format!("{REFUSAL} {}", requirement.reason),
            };
            return Err(CouchError::bad_request(reason));
        }
    }
    Ok(())
}

/// Whether the password matches; nothing matches what is no expression.
fn is_matched(expression: &str, password: &str) -> bool {
    let selector = Selector::parse(&doc! {"password": doc! {"$regex": expression}});
    selector.is_ok_and(|selector| selector.matches((&doc! {"password": password}).into()))
}

/// Reads the list; `None` if it has another form.
fn parse(text: &str) -> Option<Vec<Requirement>> {
    let mut rest = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let mut requirements = Vec::new();
    while !rest.is_empty() {
        let (requirement, behind) = match rest.strip_prefix('{') {
            None => {
                let (expression, behind) = string(rest)?;
                (vec![expression], behind)
            }
            Some(inner) => tuple(inner)?,
        };
        let mut parts = requirement.into_iter();
        requirements.push(Requirement {
            expression: parts.next()?,
            reason: parts.next().unwrap_or_default(),
        });
        let behind = behind.trim_start();
        rest = match behind.strip_prefix(',') {
            // Something has to follow a comma.
            Some(more) => Some(more.trim_start()).filter(|more| !more.is_empty())?,
            None => Some(behind).filter(|behind| behind.is_empty())?,
        };
    }
    Some(requirements)
}

/// One or two strings up to the closing brace, and what is after it.
fn tuple(text: &str) -> Option<(Vec<String>, &str)> {
    let (first, rest) = string(text.trim_start())?;
    let rest = rest.trim_start();
    if let Some(behind) = rest.strip_prefix('}') {
        return Some((vec![first], behind));
    }
    let (second, rest) = string(rest.strip_prefix(',')?.trim_start())?;
    Some((vec![first, second], rest.trim_start().strip_prefix('}')?))
}

/// A string in quotation marks, and what is after it. A backslash stands before a character that is meant as it is, or for a line
/// end or a tab.
fn string(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut characters = text.strip_prefix('"')?.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            // Behind the first quotation mark and this one.
            '"' => return Some((out, text.get(at + 2..)?)),
            '\\' => out.push(match characters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                's' => ' ',
                other => other,
            }),
            other => out.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_expressions_and_pairs_are_read() {
        let found = parse(r#"[{".{10,}"}, {"[A-Z]+", "A capital."}, "\\d"]"#).unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.expression.as_str(), one.reason.as_str()))
            .collect();
        assert_eq!(found, [(".{10,}", ""), ("[A-Z]+", "A capital."), (r"\d", "")]);
        assert_eq!(parse("[]"), Some(Vec::new()));
    }

    #[test]
    fn other_forms_are_not_read() {
        for wrong in [
            r#"{{".{10,}"}}"#,
            r#"[{".{10,}"]"#,
            r#"["a",]"#,
            r#"["a" "b"]"#,
            r#"["a]"#,
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn passwords_are_matched_anywhere() {
        assert!(is_matched("[0-9]", "pass1word"));
        assert!(!is_matched("[0-9]", "password"));
        assert!(!is_matched("(", "("));
    }
}
