//! Writes tokens as text, with as little white space between them as they need.

use super::lexer::{Gap, Token, TokenKind, is_of_word};

/// After these signs the end of a line may end a statement; after all others the statement goes on.
const MAY_END: [&str; 5] = [")", "]", "}", "++", "--"];
/// No statement begins with these signs.
const GO_ON: [&str; 28] = [
    ")", "]", "}", ",", ";", ":", "?", ".", "?.", "=", "=>", "==", "===", "!=", "!==", "&&", "||", "??",
    "+=", "-=", "*=", "<", ">", "<=", ">=", "*", "%", "|",
];

/// What has been written, token by token.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) text: String,
    last: Option<Token>,
    /// For each open template, whether it is one of elements.
    templates: Vec<bool>,
}

impl Writer {
    /// Adds a token, spelt in this way.
    pub(crate) fn push(&mut self, token: &Token, spelt: &str) {
        if let Some(last) = &self.last
            && token.gap != Gap::Nothing
            && (last.kind != TokenKind::Template || last.ends_template())
            && (token.kind != TokenKind::Template || token.begins_template())
        {
            self.text
                .push_str(between(last, token, self.text.chars().next_back(), spelt));
        }
        if token.begins_template() {
            let is_tag = self.last.as_ref().is_some_and(|last| last.is("html")) && token.gap == Gap::Nothing;
            self.templates.push(is_tag);
        }
        match token.kind == TokenKind::Template && self.templates.last() == Some(&true) {
            true => self.text.push_str(&elements(spelt)),
            false => self.text.push_str(spelt),
        }
        if token.ends_template() {
            self.templates.pop();
        }
        self.last = Some(token.clone());
    }
}

/// What must stand between two tokens that are separate in the source.
fn between(last: &Token, token: &Token, before: Option<char>, spelt: &str) -> &'static str {
    let (Some(before), Some(after)) = (before, spelt.chars().next()) else {
        return "";
    };
    let may_end = last.kind != TokenKind::Sign || last.is_sign(&MAY_END);
    if token.gap == Gap::Line && may_end && !token.is_sign(&GO_ON) {
        return "\n";
    }
    let is_one_word = is_of_word(before) && is_of_word(after);
    let is_one_number = last.kind == TokenKind::Number && after == '.';
    let is_sign = |c: char| "+-*/%=<>!&|^?.~".contains(c);
    // A sign before a value cannot be taken for a part of most that stand before it.
    let is_apart = "!-+~".contains(after) && !"+-<".contains(before);
    match is_one_word || is_one_number || (is_sign(before) && is_sign(after) && !is_apart) {
        true => " ",
        false => "",
    }
}

/// A piece of a template of elements without its indentation, of which no element is made: `htm` takes white space with a line's
/// end away where a text begins or ends.
fn elements(piece: &str) -> String {
    let mut written = String::new();
    let mut rest = piece;
    while let Some(begin) = rest.find(char::is_whitespace) {
        let (text, tail) = rest.split_at(begin);
        let behind = tail.trim_start();
        let gap = &tail[..tail.len() - behind.len()];
        written.push_str(text);
        if !gap.contains('\n') {
            written.push_str(gap);
        } else {
            let is_behind_tag = written.ends_with('>');
            let is_first = written == "`" || written == "}";
            let is_before_tag = behind.starts_with('<');
            let is_last = behind == "`" || behind == "${";
            if !((is_behind_tag && (is_before_tag || is_last)) || (is_first && is_before_tag)) {
                written.push('\n');
            }
        }
        rest = behind;
    }
    written + rest
}
