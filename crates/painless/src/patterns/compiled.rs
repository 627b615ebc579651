//! Regular expressions of scripts, compiled.

use crate::error::{Result, ScriptError, compile, failed};
use pcre2::bytes::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// How often one search may backtrack from each position of a string before the script fails.
const BACKTRACKS_MAX: u32 = 20_000;

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// As the script has it.
    source: String,
    flags: String,
    anywhere: Regex,
    /// The same, anchored at the beginning of a string.
    leading: OnceLock<Regex>,
    /// The same, anchored at both ends.
    whole: OnceLock<Regex>,
}

/// Where an expression is looked for.
#[derive(Clone, Copy)]
pub(crate) enum MatchPlace {
    From(usize),
    Leading,
    Whole,
}

impl Pattern {
    pub(crate) fn parse(source: &str, flags: &str) -> Result<Pattern> {
        if let Some(other) = flags.chars().find(|flag| !"ilmsuUx".contains(*flag)) {
            return compile(format!(
                "the flag [{other}] of a regular expression is not supported"
            ));
        }
        if !flags.contains('l') {
            check_classes(source)?;
        }
        let anywhere = build(source, flags, ("", ""));
        let anywhere =
            anywhere.map_err(|why| ScriptError::Compile(format!("Error compiling regex: {why}")))?;
        Ok(Pattern {
            source: source.to_owned(),
            flags: flags.to_owned(),
            anywhere,
            leading: OnceLock::new(),
            whole: OnceLock::new(),
        })
    }

    /// As the script has it.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// How many groups it has, with the whole.
    pub(super) fn groups(&self) -> usize {
        self.anywhere.captures_len()
    }

    /// The number of the group of this name.
    pub(super) fn group(&self, name: &str) -> Result<usize> {
        let mut names = self.anywhere.capture_names().iter();
        match names.position(|known| known.as_deref() == Some(name)) {
            Some(at) => Ok(at),
            None => failed(format!("No group with name <{name}>")),
        }
    }

    pub(super) fn at(&self, place: MatchPlace) -> Result<&Regex> {
        let (kept, around) = match place {
            MatchPlace::From(_) => return Ok(&self.anywhere),
            MatchPlace::Leading => (&self.leading, (r"\A(?:", ")")),
            MatchPlace::Whole => (&self.whole, (r"\A(?:", r")\z")),
        };
        if let Some(regex) = kept.get() {
            return Ok(regex);
        }
        let made = build(&self.source, &self.flags, around).or_else(failed)?;
        Ok(kept.get_or_init(|| made))
    }
}

/// Refuses classes of characters within classes, and intersections (`[a-z&&[^b]]`): PCRE2 would silently read them as other classes
/// than Java does.
fn check_classes(source: &str) -> Result<()> {
    let mut is_within = false;
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\\' => match after.strip_prefix('Q') {
                Some(literal) => literal.split_once("\\E").map_or("", |(_, behind)| behind),
                None => after.chars().next().map_or("", |next| &after[next.len_utf8()..]),
            },
            '[' if !is_within => {
                is_within = true;
                // A `]` that stands first belongs to the class.
                let first = after.strip_prefix('^').unwrap_or(after);
                first.strip_prefix(']').unwrap_or(first)
            }
            ']' => {
                is_within = false;
                after
            }
            '[' => return compile("classes of characters within others are not supported"),
            '&' if is_within && after.starts_with('&') => {
                return compile("[&&] within a class of characters is not supported");
            }
            _ => after,
        };
    }
    Ok(())
}

/// Compiles an expression with these parts around it.
fn build(source: &str, flags: &str, (before, after): (&str, &str)) -> std::result::Result<Regex, String> {
    let has = |flag: char| flags.contains(flag);
    let escaped = |c: char| match c.is_ascii_alphanumeric() || !c.is_ascii() {
        true => vec![c],
        false => vec!['\\', c],
    };
    let source: String = match has('l') {
        true => source.chars().flat_map(escaped).collect(),
        false => source.to_owned(),
    };
    // Neither a comment nor a quotation at its end may extend to the part after it.
    let end = match after.is_empty() {
        true => "",
        false if has('x') => "\n\\E",
        false => "\\E",
    };
    let mut builder = RegexBuilder::new();
    builder
        .utf(true)
        .caseless(has('i'))
        .multi_line(has('m'))
        .dotall(has('s'))
        .extended(has('x'))
        // As in Java, a line ends by `\r`, too.
        .crlf(true)
        .ucp(has('U'))
        .jit_if_available(true)
        .max_jit_stack_size(Some(512 << 10));
    let whole = format!("(*LIMIT_MATCH={BACKTRACKS_MAX}){before}{source}{end}{after}");
    builder.build(&whole).map_err(|error| error.to_string())
}
