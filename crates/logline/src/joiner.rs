//! Lines that belong together.

use regex::Regex;

/// Which lines belong together.
#[derive(Clone, Debug)]
pub enum Rule {
    /// A line that matches begins a message.
    Starts(Regex),
    /// A line that matches goes on with the message before it.
    Continues(Regex),
}

/// What bounds a message; beyond it, a message is given in parts.
const BYTES_MAX: usize = 256 << 10;

/// A message, and what was said of its last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined<T> {
    /// The lines, with line feeds between.
    pub text: String,
    /// What came with the last of them.
    pub tag: T,
}

/// Puts lines together. A message is complete when the next one begins, or when nobody waits any more.
#[derive(Debug)]
pub struct Joiner<T> {
    rule: Rule,
    pending: Option<Joined<T>>,
}

impl<T> Joiner<T> {
    /// A joiner by this rule.
    pub fn new(rule: Rule) -> Joiner<T> {
        Joiner { rule, pending: None }
    }

    /// Takes a line. Returns the message that it completes.
    pub fn push(&mut self, line: String, tag: T) -> Option<Joined<T>> {
        let begins = match &self.rule {
            Rule::Starts(pattern) => pattern.is_match(&line),
            Rule::Continues(pattern) => !pattern.is_match(&line),
        };
        match &mut self.pending {
            Some(pending) if !begins && pending.text.len() + line.len() < BYTES_MAX => {
                pending.text.push('\n');
                pending.text.push_str(&line);
                pending.tag = tag;
                None
            }
            _ => self.pending.replace(Joined { text: line, tag }),
        }
    }

    /// The message that waits for more lines.
    pub fn flush(&mut self) -> Option<Joined<T>> {
        self.pending.take()
    }

    /// Whether a message waits for more lines.
    pub fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }
}
