//! The names that a module declares, and those that a browser has.

use super::lexer::{Token, TokenKind};
use super::roles::Role;
use std::collections::BTreeSet;

/// Names that a browser has. A module that wants another adds it here: unknown names end the build.
pub(crate) const BROWSERS: [&str; 55] = [
    "AbortController",
    "Array",
    "BigInt",
    "Blob",
    "Boolean",
    "Date",
    "DecompressionStream",
    "Error",
    "FormData",
    "Infinity",
    "IntersectionObserver",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "ResizeObserver",
    "Set",
    "String",
    "TextDecoderStream",
    "TextEncoder",
    "TransformStream",
    "TypeError",
    "URL",
    "URLSearchParams",
    "Uint32Array",
    "Uint8Array",
    "addEventListener",
    "atob",
    "btoa",
    "clearInterval",
    "clearTimeout",
    "confirm",
    "crypto",
    "decodeURIComponent",
    "devicePixelRatio",
    "document",
    "encodeURIComponent",
    "fetch",
    "getComputedStyle",
    "getSelection",
    "history",
    "innerWidth",
    "localStorage",
    "location",
    "matchMedia",
    "navigator",
    "parseInt",
    "performance",
    "removeEventListener",
    "setInterval",
    "setTimeout",
];

/// All names that are declared: after `const` and the like, and among parameters.
pub(crate) fn declared(tokens: &[(Token, Role)]) -> BTreeSet<&str> {
    let ends = ends(tokens);
    let sign = |at: usize, signs: &[&str]| tokens.get(at).is_some_and(|(token, _)| token.is_sign(signs));
    let mut found = BTreeSet::new();
    for (at, (token, _)) in tokens.iter().enumerate() {
        let before = at.checked_sub(1);
        if token.is_sign(&["=>"]) {
            found.extend(before.and_then(|before| name(tokens, before)));
        } else if token.is_sign(&["("]) {
            let before = before.and_then(|before| tokens.get(before));
            let conditions = ["if", "for", "while", "switch"];
            let is_condition =
                before.is_some_and(|(before, _)| conditions.iter().any(|word| before.is(word)));
            let end = ends.get(at).copied().unwrap_or(at);
            if sign(end + 1, &["=>"]) || (sign(end + 1, &["{"]) && !is_condition) {
                let places = (at + 1..end).filter(|&place| place == at + 1 || is_taken(tokens, place));
                found.extend(places.filter_map(|place| name(tokens, place)));
            }
        } else {
            found.extend(declared_at(tokens, at));
        }
    }
    found
}

/// The names of the declaration that begins at this token, if one does.
pub(crate) fn declared_at(tokens: &[(Token, Role)], at: usize) -> Vec<&str> {
    let is = |at: usize, words: &[&str]| {
        tokens
            .get(at)
            .is_some_and(|(token, _)| words.iter().any(|word| token.is(word)))
    };
    let is_word = tokens
        .get(at)
        .is_some_and(|(token, role)| token.kind == TokenKind::Word && *role == Role::Other);
    let is_member = at.checked_sub(1).is_some_and(|before| is(before, &[".", "?."])) || is(at + 1, &[":"]);
    if !is_word || is_member {
        return Vec::new();
    }
    if is(at, &["function", "class"]) {
        let at = at + 1 + usize::from(is(at + 1, &["*"]));
        return name(tokens, at).into_iter().collect();
    }
    if !is(at, &["const", "let"]) {
        return Vec::new();
    }
    // Up to the end of the statement, or of the head of a loop: the name that each part begins with is declared.
    let (mut names, mut depth, mut begins) = (Vec::new(), 0_usize, true);
    let mut is_pattern = false;
    for (place, (token, _)) in tokens.iter().enumerate().skip(at + 1) {
        let is_end =
            depth == 0 && (token.closes() || token.is_sign(&[";"]) || token.is("of") || token.is("in"));
        if is_end {
            break;
        }
        is_pattern = is_pattern || (begins && token.is_sign(&["{", "["]));
        if begins || (is_pattern && is_taken(tokens, place)) {
            names.extend(name(tokens, place));
        }
        depth += usize::from(token.opens());
        depth -= usize::from(token.closes());
        is_pattern = is_pattern && depth > 0;
        begins = depth == 0 && token.is_sign(&[","]);
    }
    names
}

/// Whether the name at this token of a pattern, or among parameters, is declared there: it is not part of a default value.
fn is_taken(tokens: &[(Token, Role)], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    before.is_some_and(|(before, _)| before.is_sign(&["{", "[", ",", ":", "..."]))
}

/// The variable's name at this token, if it is one.
fn name(tokens: &[(Token, Role)], at: usize) -> Option<&str> {
    let (token, role) = tokens.get(at)?;
    (*role != Role::Other).then_some(token.text.as_str())
}

/// The index of the closing token for each opening token.
fn ends(tokens: &[(Token, Role)]) -> Vec<usize> {
    let mut ends: Vec<usize> = (0..tokens.len()).collect();
    let mut open: Vec<usize> = Vec::new();
    for (at, (token, _)) in tokens.iter().enumerate() {
        if token.closes()
            && let Some(begin) = open.pop()
            && let Some(end) = ends.get_mut(begin)
        {
            *end = at;
        }
        if token.opens() {
            open.push(at);
        }
    }
    ends
}
