//! A module: what it imports and exports, and the rest.

use super::declared::{BROWSERS, declared, declared_at};
use super::lexer::{Gap, Token, TokenKind, tokens};
use super::roles::{Role, WORDS, roles};
use super::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};

/// Names of another module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Import {
    /// The module, as it is named.
    pub(crate) from: String,
    /// The name of each in that module, and its name here.
    pub(crate) names: Vec<(String, String)>,
}

pub(crate) struct Module {
    pub(crate) imports: Vec<Import>,
    /// `export { … } from "…"`.
    pub(crate) passed_on: Vec<Import>,
    /// The name within the module of each export.
    pub(crate) exports: BTreeMap<String, String>,
    /// What is declared outside of all functions.
    pub(crate) tops: BTreeSet<String>,
    /// All but imports and the word `export`.
    body: Vec<(Token, Role)>,
}

impl Module {
    /// Parses a module; an error says why it cannot be packed with others.
    pub(crate) fn read(text: &str) -> Result<Module, String> {
        let tokens = tokens(text)?;
        let roles = roles(&tokens)?;
        let tokens: Vec<(Token, Role)> = tokens.into_iter().zip(roles).collect();
        let mut reader = Reader {
            tokens: &tokens,
            at: 0,
            module: Module {
                imports: Vec::new(),
                passed_on: Vec::new(),
                exports: BTreeMap::new(),
                tops: BTreeSet::new(),
                body: Vec::with_capacity(tokens.len()),
            },
        };
        reader.all()?;
        Ok(reader.module)
    }

    /// The module's text with new names: `names` for what it imports and declares outside of functions, and short ones for the rest.
    /// `loads` has the replacements of `import("…")`, by the module that it names.
    pub(crate) fn written(
        &self,
        names: &BTreeMap<&str, &str>,
        loads: &BTreeMap<&str, String>,
    ) -> Result<String, String> {
        let locals = self.locals(names)?;
        let mut writer = Writer::default();
        let mut at = 0;
        while let Some((token, role)) = self.body.get(at) {
            let name = || {
                names
                    .get(token.text.as_str())
                    .copied()
                    .or_else(|| locals.get(token.text.as_str()).map(String::as_str))
            };
            match (role, name()) {
                (Role::Name, Some(name)) => writer.push(token, name),
                (Role::Short, Some(name)) => writer.push(token, &format!("{}:{name}", token.text)),
                _ => match self.loaded(at)? {
                    Some(named) => {
                        let load = loads
                            .get(named)
                            .ok_or_else(|| format!("nothing says how {named} is loaded"))?;
                        writer.push(token, load);
                        // Its brackets, and the name between them.
                        at += 3;
                    }
                    None => writer.push(token, &token.text),
                },
            }
            at += 1;
        }
        Ok(writer.text)
    }

    /// The module that an `import("…")` at this token names.
    fn loaded(&self, at: usize) -> Result<Option<&str>, String> {
        let is = |by: usize, text: &str| self.body.get(at + by).is_some_and(|(token, _)| token.is(text));
        if !is(0, "import") {
            return Ok(None);
        }
        let named = self.body.get(at + 2).and_then(|(token, _)| unquoted(token));
        match named.filter(|_| is(1, "(") && is(3, ")")) {
            Some(named) => Ok(Some(named)),
            None => Err("import( wants the name of a module".to_owned()),
        }
    }

    /// The modules that it loads when they are wanted.
    pub(crate) fn loads(&self) -> impl Iterator<Item = &str> {
        (0..self.body.len()).filter_map(|at| self.loaded(at).ok().flatten())
    }

    /// Short names for those that have none yet, the shortest for the most frequent.
    fn locals(&self, names: &BTreeMap<&str, &str>) -> Result<BTreeMap<&str, String>, String> {
        let declared = declared(&self.body);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (token, role) in &self.body {
            let name = token.text.as_str();
            if *role == Role::Other || names.contains_key(name) || BROWSERS.contains(&name) {
                continue;
            }
            if !declared.contains(name) {
                return Err(format!(
                    "{name} is not declared; if it is a browser's, declared.rs wants its name"
                ));
            }
            *counts.entry(name).or_default() += 1;
        }
        let mut often: Vec<(&str, usize)> = counts.into_iter().collect();
        often.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let free = (0..)
            .map(short_name)
            .filter(|name| !WORDS.contains(&name.as_str()) && !BROWSERS.contains(&name.as_str()));
        Ok(often.into_iter().map(|(name, _)| name).zip(free).collect())
    }
}

/// A name by its number: one letter, then more.
pub(crate) fn short_name(number: usize) -> String {
    const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let letter = char::from(LETTERS[number % LETTERS.len()]);
    match number / LETTERS.len() {
        0 => letter.to_string(),
        more => format!("{}{letter}", short_name(more - 1)),
    }
}

struct Reader<'a> {
    tokens: &'a [(Token, Role)],
    at: usize,
    module: Module,
}

impl Reader<'_> {
    fn all(&mut self) -> Result<(), String> {
        let mut depth = 0_usize;
        while let Some((token, _)) = self.tokens.get(self.at) {
            if depth == 0 && token.is("import") && !self.is_next("(") {
                let import = self.import()?;
                self.module.imports.push(import);
            } else if depth == 0 && token.is("export") && self.is_next("{") {
                self.at += 1;
                let names = self.names()?;
                let from = self.from()?;
                self.module.passed_on.push(Import { from, names });
            } else if depth == 0 && token.is("export") {
                self.export()?;
            } else {
                if depth == 0 {
                    let tops = declared_at(self.tokens, self.at);
                    if tops.is_empty() && (token.is("const") || token.is("let")) {
                        return Err("a declaration outside of functions has no name".to_owned());
                    }
                    self.module.tops.extend(tops.into_iter().map(str::to_owned));
                }
                depth += usize::from(token.opens());
                depth -= usize::from(token.closes());
                self.take();
            }
        }
        Ok(())
    }

    /// Puts a token into the body.
    fn take(&mut self) {
        self.module.body.extend(self.tokens.get(self.at).cloned());
        self.at += 1;
    }

    fn token(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn is(&self, text: &str) -> bool {
        self.token().is_some_and(|token| token.is(text))
    }

    fn is_next(&self, text: &str) -> bool {
        self.tokens
            .get(self.at + 1)
            .is_some_and(|(token, _)| token.is(text))
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        if !self.is(text) {
            return Err(format!("an import or export lacks {text}"));
        }
        self.at += 1;
        Ok(())
    }

    fn name(&mut self) -> Result<String, String> {
        let token = self.token().filter(|token| token.kind == TokenKind::Word);
        let name = token.ok_or("an import or export lacks a name")?.text.clone();
        self.at += 1;
        Ok(name)
    }

    /// `import WHAT from "…";`
    fn import(&mut self) -> Result<Import, String> {
        self.expect("import")?;
        let names = match self.is("{") {
            true => self.names()?,
            false => vec![("default".to_owned(), self.name()?)],
        };
        Ok(Import {
            from: self.from()?,
            names,
        })
    }

    /// `{ a, b as c }`
    fn names(&mut self) -> Result<Vec<(String, String)>, String> {
        let mut names = Vec::new();
        self.expect("{")?;
        while !self.is("}") {
            let name = self.name()?;
            let here = match self.is("as") {
                true => {
                    self.at += 1;
                    self.name()?
                }
                false => name.clone(),
            };
            names.push((name, here));
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        self.expect("}")?;
        Ok(names)
    }

    fn from(&mut self) -> Result<String, String> {
        self.expect("from")?;
        let named = self.token().and_then(unquoted);
        let named = named
            .ok_or("an import or export lacks the name of a module")?
            .to_owned();
        self.at += 1;
        self.expect(";")?;
        Ok(named)
    }

    /// Drops the words `export` and `default`, and keeps the declaration.
    fn export(&mut self) -> Result<(), String> {
        self.expect("export")?;
        let is_default = self.is("default");
        self.at += usize::from(is_default);
        let declaration = self.at + usize::from(self.is("async"));
        let names = declared_at(self.tokens, declaration);
        if names.is_empty() {
            return Err("an export declares nothing that has a name".to_owned());
        }
        for name in &names {
            let outside = match is_default {
                true => "default".to_owned(),
                false => (*name).to_owned(),
            };
            self.module.exports.insert(outside, (*name).to_owned());
        }
        self.module.tops.extend(names.into_iter().map(str::to_owned));
        let begin = self.module.body.len();
        self.take();
        if let Some((token, _)) = self.module.body.get_mut(begin) {
            token.gap = Gap::Line;
        }
        Ok(())
    }
}

/// The contents of a string literal.
fn unquoted(token: &Token) -> Option<&str> {
    let text = token.text.strip_prefix('"')?.strip_suffix('"')?;
    (token.kind == TokenKind::Text).then_some(text)
}
