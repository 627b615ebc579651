//! Tokens of a script.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Number,
    Text,
    Pattern,
    /// A piece of a template: from its beginning or from the end of an expression, to its end or to the next expression.
    Template,
    Sign,
}

/// What stands before a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    Nothing,
    Space,
    Line,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) text: String,
    pub(crate) gap: Gap,
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.kind != TokenKind::Text && self.text == text
    }

    /// Whether it is one of these signs.
    pub(crate) fn is_sign(&self, signs: &[&str]) -> bool {
        self.kind == TokenKind::Sign && signs.contains(&self.text.as_str())
    }

    /// Whether it begins a template.
    pub(crate) fn begins_template(&self) -> bool {
        self.kind == TokenKind::Template && self.text.starts_with('`')
    }

    /// Whether it ends a template.
    pub(crate) fn ends_template(&self) -> bool {
        self.kind == TokenKind::Template && !self.text.ends_with("${")
    }

    /// Whether it opens a nesting: a bracket, or a piece of a template before an expression.
    pub(crate) fn opens(&self) -> bool {
        self.is_sign(&["(", "[", "{"]) || (self.begins_template() && !self.ends_template())
    }

    /// Whether it closes a nesting.
    pub(crate) fn closes(&self) -> bool {
        self.is_sign(&[")", "]", "}"]) || (self.ends_template() && !self.begins_template())
    }
}

/// Signs of more than one character, the longer before those that begin like them.
const SIGNS: [&str; 33] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=",
    ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>",
    "**",
];

/// Words after which a value begins, so that `/` begins a regular expression.
const BEFORE_VALUES: [&str; 14] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "else",
    "do",
    "await",
    "yield",
    "instanceof",
];

/// The tokens of a script; an error says why it cannot be read.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut lexer = Lexer {
        rest: text,
        gap: Gap::Nothing,
        depths: Vec::new(),
        found: Vec::new(),
    };
    while let Some(first) = lexer.rest.chars().next() {
        lexer.step(first)?;
    }
    match lexer.depths.is_empty() {
        true => Ok(lexer.found),
        false => Err("a template has no end".to_owned()),
    }
}

struct Lexer<'a> {
    rest: &'a str,
    gap: Gap,
    /// How many braces are open in the expression of each template that is open.
    depths: Vec<usize>,
    found: Vec<Token>,
}

impl Lexer<'_> {
    fn step(&mut self, first: char) -> Result<(), String> {
        let rest = self.rest;
        if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else if rest.starts_with("//") {
            self.skip(rest.find('\n').unwrap_or(rest.len()));
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").ok_or("a comment has no end")?;
            self.skip(end + "/**/".len());
        } else {
            let (kind, length) = self.token(first)?;
            let (text, rest) = rest.split_at(length);
            let gap = std::mem::replace(&mut self.gap, Gap::Nothing);
            self.found.push(Token {
                kind,
                text: text.to_owned(),
                gap,
            });
            self.rest = rest;
        }
        Ok(())
    }

    fn skip(&mut self, length: usize) {
        let (skipped, rest) = self.rest.split_at(length);
        let gap = match skipped.contains('\n') {
            true => Gap::Line,
            false => Gap::Space,
        };
        self.gap = self.gap.max(gap);
        self.rest = rest;
    }

    /// The next token, and its length.
    fn token(&mut self, first: char) -> Result<(TokenKind, usize), String> {
        let rest = self.rest;
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        match first {
            '"' | '\'' => Ok((TokenKind::Text, quoted(rest, first)?)),
            '`' => self.template(),
            '}' if self.depths.last() == Some(&0) => {
                self.depths.pop();
                self.template()
            }
            '/' if !self.has_value()? => Ok((TokenKind::Pattern, pattern(rest)?)),
            _ if is_number(rest) || (first == '.' && is_number(&rest[1..])) => {
                Ok((TokenKind::Number, number(rest)))
            }
            _ if is_of_word(first) => {
                let length = rest.find(|c| !is_of_word(c));
                Ok((TokenKind::Word, length.unwrap_or(rest.len())))
            }
            _ => {
                if let Some(depth) = self.depths.last_mut() {
                    *depth += usize::from(first == '{');
                    *depth -= usize::from(first == '}');
                }
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                Ok((TokenKind::Sign, sign.map_or(first.len_utf8(), |sign| sign.len())))
            }
        }
    }

    /// A piece of a template, from what begins it or ends an expression.
    fn template(&mut self) -> Result<(TokenKind, usize), String> {
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => drop(chars.next()),
                '`' => return Ok((TokenKind::Template, at + 1)),
                '$' if chars.peek().is_some_and(|(_, next)| *next == '{') => {
                    self.depths.push(0);
                    return Ok((TokenKind::Template, at + 2));
                }
                _ => {}
            }
        }
        Err("a template has no end".to_owned())
    }

    /// Whether the last token ends a value, so that `/` divides it.
    fn has_value(&self) -> Result<bool, String> {
        let Some(last) = self.found.last() else {
            return Ok(false);
        };
        match last.kind {
            TokenKind::Number | TokenKind::Text | TokenKind::Pattern => Ok(true),
            TokenKind::Template => Ok(last.ends_template()),
            TokenKind::Word => Ok(!BEFORE_VALUES.contains(&last.text.as_str())),
            TokenKind::Sign if last.text == "}" => Err(format!(
                "/ behind }} may divide or begin a pattern: {}",
                line(self.rest)
            )),
            TokenKind::Sign => Ok(last.is_sign(&[")", "]"])),
        }
    }
}

pub(crate) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

/// The length of a string literal.
pub(crate) fn quoted(text: &str, quote: char) -> Result<usize, String> {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' => break,
            c if c == quote => return Ok(at + 1),
            _ => {}
        }
    }
    Err(format!("a text has no end: {}", line(text)))
}

/// A regular expression with its flags.
fn pattern(text: &str) -> Result<usize, String> {
    let mut is_in_class = false;
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' => break,
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            '/' if !is_in_class => {
                let flags = &text[at + 1..];
                return Ok(at + 1 + flags.find(|c| !is_of_word(c)).unwrap_or(flags.len()));
            }
            _ => {}
        }
    }
    Err(format!("a pattern has no end: {}", line(text)))
}

fn number(text: &str) -> usize {
    let is_decimal = !["0x", "0X"].iter().any(|prefix| text.starts_with(prefix));
    let mut before = '0';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_exponent = is_decimal && matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
        let is_point = c == '.' && chars.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        if !is_of_word(c) && !is_exponent && !is_point {
            return at;
        }
        before = c;
    }
    text.len()
}

/// The first line, to name a place in a message.
fn line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
