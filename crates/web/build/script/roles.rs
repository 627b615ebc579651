//! Which tokens are names of variables, and which are names of members.

use super::lexer::{Token, TokenKind};

/// The role of a token as a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The name of a variable, a function or a class.
    Name,
    /// The same, as `{ name }` or `{ name = 1 }`, where it is also the name of a member.
    Short,
    /// Everything else: members, words of the language, signs, values.
    Other,
}

/// What cannot be the name of a variable, or is no name where the page writes it.
pub(crate) const WORDS: [&str; 44] = [
    "arguments",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "let",
    "new",
    "null",
    "of",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "eval",
];

/// After these a brace begins a block.
const BEFORE_BLOCKS: [&str; 10] = [")", "=>", ";", "{", "}", "else", "try", "finally", "do", "catch"];
/// After these it begins an object, or a pattern that destructures one.
const BEFORE_OBJECTS: [&str; 23] = [
    "(", "[", ",", "=", ":", "?", "&&", "||", "??", "??=", "...", "===", "!==", "return", "const", "let",
    "of", "in", "throw", "await", "yield", "import", "export",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Block,
    Object,
    Class,
    Other,
}

/// The role of each token.
pub(crate) fn roles(tokens: &[Token]) -> Result<Vec<Role>, String> {
    let mut brackets: Vec<Bracket> = Vec::new();
    let mut roles = Vec::with_capacity(tokens.len());
    let mut is_class = false;
    for (at, token) in tokens.iter().enumerate() {
        if token.closes() {
            brackets.pop().ok_or("a bracket is closed that was not opened")?;
        }
        if token.opens() {
            brackets.push(match token.is("{") {
                true if std::mem::take(&mut is_class) => Bracket::Class,
                true if brackets.last() != Some(&Bracket::Object) && is_behind_case(tokens, at) => {
                    Bracket::Block
                }
                true => brace(at.checked_sub(1).and_then(|before| tokens.get(before)))?,
                false => Bracket::Other,
            });
        }
        let is_named = tokens
            .get(at + 1)
            .is_some_and(|next| next.kind == TokenKind::Word);
        is_class = is_class || (token.is("class") && is_named);
        let within = brackets.last().copied();
        if within == Some(Bracket::Class) && token.is("=") {
            return Err("a class has fields, whose values are not known here".to_owned());
        }
        roles.push(match token.kind {
            TokenKind::Word => word(tokens, at, within)?,
            _ => Role::Other,
        });
    }
    match brackets.is_empty() {
        true => Ok(roles),
        false => Err("a bracket is not closed".to_owned()),
    }
}

/// Whether this token is the first after `case …:` or `default:`.
fn is_behind_case(tokens: &[Token], at: usize) -> bool {
    let mut before = tokens.iter().take(at).rev();
    if !before.next().is_some_and(|token| token.is_sign(&[":"])) {
        return false;
    }
    let mut depth = 0_usize;
    for token in before {
        let is_outside = depth == 0 && (token.opens() || token.is_sign(&[";", "?", "}"]));
        if is_outside {
            return false;
        }
        if depth == 0 && (token.is("case") || token.is("default")) {
            return true;
        }
        depth += usize::from(token.closes());
        depth -= usize::from(token.opens());
    }
    false
}

/// What a brace after a token begins.
fn brace(before: Option<&Token>) -> Result<Bracket, String> {
    let Some(before) = before else {
        return Ok(Bracket::Block);
    };
    let text = before.text.as_str();
    match before.kind {
        TokenKind::Template if !before.ends_template() => Ok(Bracket::Object),
        TokenKind::Word | TokenKind::Sign if BEFORE_BLOCKS.contains(&text) => Ok(Bracket::Block),
        TokenKind::Word | TokenKind::Sign if BEFORE_OBJECTS.contains(&text) => Ok(Bracket::Object),
        _ => Err(format!("{{ behind {text} may begin statements or an object")),
    }
}

fn word(tokens: &[Token], at: usize, within: Option<Bracket>) -> Result<Role, String> {
    let near = |by: isize| at.checked_add_signed(by).and_then(|place| tokens.get(place));
    let is = |by: isize, signs: &[&str]| near(by).is_some_and(|token| token.is_sign(signs));
    let is_accessor = |by: isize| {
        near(by).is_some_and(|token| ["get", "set", "async", "*"].iter().any(|word| token.is(word)))
    };
    let text = tokens.get(at).map_or("", |token| token.text.as_str());
    let of_name = |role| match WORDS.contains(&text) {
        true => Role::Other,
        false => role,
    };
    if is(-1, &[".", "?."]) || within == Some(Bracket::Class) {
        return Ok(Role::Other);
    }
    if within != Some(Bracket::Object) {
        return Ok(of_name(Role::Name));
    }
    if is_accessor(-1) && is(-2, &["{", ","]) && is(1, &["("]) {
        return Ok(Role::Other);
    }
    if !is(-1, &["{", ","]) {
        return Ok(of_name(Role::Name));
    }
    if is(1, &[":", "("]) || (is_accessor(0) && near(1).is_some_and(|next| next.kind == TokenKind::Word)) {
        return Ok(Role::Other);
    }
    match is(1, &[",", "}", "="]) || near(1).is_some_and(|next| next.is("as")) {
        true => Ok(of_name(Role::Short)),
        false => Err(format!(
            "{text} in an object is neither a member nor short for one"
        )),
    }
}
