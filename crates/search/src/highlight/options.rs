//! How a field is highlighted, as a request says it.

use super::fast::{SCANNED_CHARS, WORD_ENDS};
use super::text::{Bounds, Text};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, one_or_many, scalar};
use querying::{Query, parse_query};
use serde_json::Value;

/// How a field is highlighted.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// What stands before and after what was found: one for all, but for the fast vector highlighter, which numbers what it finds.
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
    pub(super) fragment_chars: usize,
    /// Fragments at most; whole values where it is 0.
    pub(super) fragments: usize,
    /// The name of the highlighter.
    pub(super) kind: Option<String>,
    /// Whether only what was searched for in this field is marked.
    pub(super) matches_field: bool,
    pub(super) by_score: bool,
    /// Characters that are shown of a field in which nothing stands.
    pub(super) unmatched_chars: usize,
    pub(super) escapes: bool,
    pub(super) query: Option<Query>,
    pub(super) scanner: Option<Scanner>,
    /// Whether plain fragments are cut in the midst of phrases.
    pub(super) is_simple: bool,
    /// How fragments are cut, where it is no way that there is.
    pub(super) unknown_fragmenter: Option<String>,
    /// The fields whose terms are marked, where these are not its own alone.
    pub(super) matched: Vec<String>,
    pub(super) phrases_max: usize,
    pub(super) margin: Option<usize>,
    pub(super) scanned_chars: usize,
    word_ends: String,
}

/// At what fragments begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scanner {
    Chars,
    Sentence,
    Word,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            before: vec!["<em>".to_owned()],
            after: vec!["</em>".to_owned()],
            fragment_chars: 100,
            fragments: 5,
            kind: None,
            matches_field: true,
            by_score: false,
            unmatched_chars: 0,
            escapes: false,
            query: None,
            scanner: None,
            is_simple: false,
            unknown_fragmenter: None,
            matched: Vec::new(),
            phrases_max: 256,
            margin: None,
            scanned_chars: SCANNED_CHARS,
            word_ends: WORD_ENDS.to_owned(),
        }
    }
}

impl Options {
    /// Reads what is said of all fields.
    pub(super) fn of_all(members: &mut Members<'_>) -> Result<Options> {
        let mut options = Options::default();
        if let Some(schema) = members.text("tags_schema")? {
            match schema.as_str() {
                "default" => {}
                "styled" => {
                    let numbered = (1..=10).map(|number| format!("<em class=\"hlt{number}\">"));
                    options.before = numbered.collect();
                }
                other => return Err(SearchError::illegal(format!("Unknown tag schema [{other}]"))),
            }
        }
        // Any other name is that of an encoder that changes nothing.
        options.escapes = members.text("encoder")?.as_deref() == Some("html");
        options.read(members)
    }

    /// These, but for what is said of one field.
    pub(super) fn of_field(&self, members: &mut Members<'_>) -> Result<Options> {
        let mut options = self.clone();
        if let Some(fields) = members.take("matched_fields") {
            options.matched = one_or_many(fields).into_iter().filter_map(scalar).collect();
        }
        options.margin = natural(members.integer("fragment_offset")?, "fragment_offset")?;
        options.read(members)
    }

    fn read(mut self, members: &mut Members<'_>) -> Result<Options> {
        self.read_tags(members)?;
        if let Some(chars) = natural(members.integer("fragment_size")?, "fragment_size")? {
            self.fragment_chars = chars;
        }
        if let Some(number) = natural(members.integer("number_of_fragments")?, "number_of_fragments")? {
            self.fragments = number;
        }
        if let Some(chars) = members.integer("no_match_size")? {
            self.unmatched_chars = usize::try_from(chars).unwrap_or(0);
        }
        if let Some(kind) = members.text("type")? {
            self.kind = Some(kind);
        }
        if let Some(order) = members.text("order")? {
            // By any other name they come as they stand.
            self.by_score = order == "score";
        }
        if let Some(matches) = members.flag("require_field_match")? {
            self.matches_field = matches;
        }
        if let Some(query) = members.take("highlight_query") {
            self.query = Some(parse_query(query)?);
        }
        if let Some(name) = members.text("fragmenter")? {
            self.is_simple = name == "simple";
            self.unknown_fragmenter = (!["simple", "span"].contains(&name.as_str())).then_some(name);
        }
        if let Some(most) = members.integer("phrase_limit")? {
            self.phrases_max = usize::try_from(most).unwrap_or(usize::MAX);
        }
        self.read_bounds(members)?;
        // The text is always asked itself, and no highlighter has options of its own.
        members.flag("force_source")?;
        members.take("options");
        Ok(self)
    }

    fn read_tags(&mut self, members: &mut Members<'_>) -> Result<()> {
        let texts =
            |tags: &Value| -> Vec<String> { one_or_many(tags).into_iter().filter_map(scalar).collect() };
        let (before, after) = (
            members.take("pre_tags").map(texts),
            members.take("post_tags").map(texts),
        );
        if before.is_some() && after.is_none() {
            return Err(SearchError::parsing("pre_tags are set but post_tags are not set"));
        }
        for (name, tags) in [("pre_tags", &before), ("post_tags", &after)] {
            if tags.as_ref().is_some_and(Vec::is_empty) {
                return Err(SearchError::illegal(format!("[{name}] must not be empty")));
            }
        }
        self.before = before.unwrap_or_else(|| std::mem::take(&mut self.before));
        self.after = after.unwrap_or_else(|| std::mem::take(&mut self.after));
        Ok(())
    }

    fn read_bounds(&mut self, members: &mut Members<'_>) -> Result<()> {
        if let Some(name) = members.text("boundary_scanner")? {
            self.scanner = Some(match name.to_ascii_lowercase().as_str() {
                "chars" => Scanner::Chars,
                "sentence" => Scanner::Sentence,
                "word" => Scanner::Word,
                other => {
                    return Err(SearchError::illegal(format!(
                        "No enum constant org.elasticsearch.search.fetch.subphase.highlight.HighlightBuilder.BoundaryScannerType.{}",
                        other.to_ascii_uppercase()
                    )));
                }
            });
        }
        if let Some(most) = natural(members.integer("boundary_max_scan")?, "boundary_max_scan")? {
            self.scanned_chars = most;
        }
        if let Some(chars) = members.text("boundary_chars")? {
            self.word_ends = chars;
        }
        // Texts are cut alike in all languages.
        members.text("boundary_scanner_locale")?;
        Ok(())
    }

    /// Whether a word ends before this character.
    pub(super) fn ends_word(&self, c: Option<char>) -> bool {
        c.is_some_and(|c| self.word_ends.contains(c))
    }

    /// Where fast fragments begin and end, where that is not said by characters.
    pub(super) fn bounds(&self, text: &Text<'_>) -> Option<Bounds> {
        match self.scanner {
            Some(Scanner::Sentence) => Some(text.sentences()),
            Some(Scanner::Word) => Some(text.words()),
            None | Some(Scanner::Chars) => None,
        }
    }
}

/// A number that is not negative; -1 says nothing.
fn natural(number: Option<i64>, name: &str) -> Result<Option<usize>> {
    match number {
        None | Some(-1) => Ok(None),
        Some(number) => usize::try_from(number)
            .map(Some)
            .map_err(|_| SearchError::illegal(format!("[{name}] cannot be negative, found [{number}]"))),
    }
}
