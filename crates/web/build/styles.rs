//! Minifies styles: drops comments, and white space that means nothing.

use crate::script::lexer::quoted;

/// White space around these means nothing.
const APART: &str = "{};,>";

/// A minified stylesheet; an error says why it cannot be read.
pub(crate) fn compact(styles: &str) -> Result<String, String> {
    let mut written = String::new();
    let mut rest = styles;
    let mut has_gap = false;
    while let Some(next) = rest.chars().next() {
        let length = if next.is_whitespace() {
            has_gap = true;
            next.len_utf8()
        } else if let Some(comment) = rest.strip_prefix("/*") {
            has_gap = true;
            comment.find("*/").ok_or("a comment of the styles has no end")? + "/**/".len()
        } else {
            let is_after = written.ends_with(|last: char| APART.contains(last) || matches!(last, ':' | '('));
            if std::mem::take(&mut has_gap)
                && !written.is_empty()
                && !is_after
                && !APART.contains(next)
                && next != ')'
            {
                written.push(' ');
            }
            if next == '}' && written.ends_with(';') {
                written.pop();
            }
            let length = match next {
                '"' | '\'' => quoted(rest, next)?,
                _ => next.len_utf8(),
            };
            written.push_str(&rest[..length]);
            length
        };
        rest = &rest[length..];
    }
    Ok(written)
}
