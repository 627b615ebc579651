//! Words of an index that are near those of a text.

use super::likeness::Likeness;
use super::near::Nearness;
use super::{entry, no_mapping, wanted_field};
use mapping::analysis::{Analyzer, Token};
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View};
use mapping::json::Members;
use mapping::{Field, Mapping};
use search::Held;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Words of a text that are looked at, at most.
const WORDS_MAX: usize = 1000;

#[derive(Clone, Debug)]
pub(super) struct Speller {
    field: String,
    pub(super) options: Options,
    analyzer: Option<String>,
    words: Vec<Token>,
    counted: Counted,
}

/// How far from a word others may be, and which of them are wanted.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) size: usize,
    pub(super) mode: Mode,
    pub(super) nearness: Nearness,
    likeness: Likeness,
    /// How alike words are at least.
    accuracy: f64,
    length_min: usize,
    by_frequency: bool,
    documents_min: f64,
    frequency_max: f64,
}

/// For which words something is suggested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Those that are nowhere.
    Missing,
    /// And what is more frequent.
    Popular,
    Always,
}

impl Mode {
    fn parse(name: Option<&str>) -> Result<Mode> {
        match name {
            None | Some("missing") => Ok(Mode::Missing),
            Some("popular") => Ok(Mode::Popular),
            Some("always") => Ok(Mode::Always),
            Some(other) => Err(SearchError::illegal(format!(
                "No enum constant org.elasticsearch.search.suggest.term.TermSuggestionBuilder.SuggestMode.{}",
                other.to_ascii_uppercase()
            ))),
        }
    }
}

/// How many documents have each word that is near one of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    documents: u64,
    pub(super) near: HashMap<String, u64>,
    /// Words that were compared, so that none is twice.
    rejected: HashSet<String>,
}

/// What a word takes in a table besides itself.
pub(super) const WORD_BYTES: usize = 48;

/// Rejected words that are remembered.
const REJECTED_MAX: usize = 100_000;

impl Options {
    pub(super) fn parse(members: &mut Members<'_>) -> Result<Options> {
        let edits = at_least(
            members.integer("max_edits")?,
            2,
            1,
            "maxEdits must be between 1 and 2",
        )?;
        if edits > 2 {
            return Err(SearchError::illegal("maxEdits must be between 1 and 2"));
        }
        let prefix = members
            .integer("prefix_length")?
            .or(members.integer("prefix_len")?);
        let prefix = at_least(prefix, 1, 0, "prefixLength must be positive")?;
        let length = members
            .integer("min_word_length")?
            .or(members.integer("min_word_len")?);
        let length_min = at_least(length, 4, 1, "minWordLength must be greater or equal to 1")?;
        let size = at_least(members.integer("size")?, 5, 1, "size must be positive")?;
        let mut word = |name: &str| -> Result<Option<String>> {
            Ok(members.text(name)?.map(|text| text.to_ascii_lowercase()))
        };
        let mode = Mode::parse(word("suggest_mode")?.as_deref())?;
        let by_frequency = match word("sort")?.as_deref() {
            None | Some("score") => false,
            Some("frequency") => true,
            Some(other) => {
                return Err(SearchError::illegal(format!(
                    "No enum constant org.elasticsearch.search.suggest.SortBy.{}",
                    other.to_ascii_uppercase()
                )));
            }
        };
        let likeness = Likeness::parse(word("string_distance")?.as_deref())?;
        // How many are looked at before the best are chosen: all are.
        members.integer("max_inspections")?;
        members.integer("shard_size")?;
        Ok(Options {
            size,
            mode,
            nearness: Nearness {
                edits,
                prefix,
                transposes: true,
            },
            likeness,
            accuracy: members.number("accuracy")?.unwrap_or(0.5),
            length_min,
            by_frequency,
            documents_min: share("minDocFreq", members.number("min_doc_freq")?, 0.0)?,
            frequency_max: share("maxTermFreq", members.number("max_term_freq")?, 0.01)?,
        })
    }
}

impl Options {
    /// The same for other words.
    pub(super) fn with_mode(&self, mode: Mode) -> Options {
        Options { mode, ..self.clone() }
    }
}

/// A part of all documents up to 1, above it a number of them.
fn share(name: &str, number: Option<f64>, default: f64) -> Result<f64> {
    match number {
        Some(number) if number < 0.0 => Err(SearchError::illegal(format!("{name} must be positive"))),
        Some(number) if number > 1.0 && number.fract() != 0.0 => Err(SearchError::illegal(format!(
            "if {name} is greater than 1, it must not be a fraction"
        ))),
        number => Ok(number.unwrap_or(default)),
    }
}

/// A number that is no less than another.
pub(super) fn at_least(number: Option<i64>, default: usize, least: usize, reason: &str) -> Result<usize> {
    match number.map(usize::try_from) {
        None => Ok(default),
        Some(Ok(number)) if number >= least => Ok(number),
        Some(_) => Err(SearchError::illegal(reason)),
    }
}

/// A word that is suggested.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) text: String,
    pub(super) score: f64,
    pub(super) frequency: u64,
}

impl Counted {
    /// Counts the words of a document that are near one of these.
    pub(super) fn see(
        &mut self,
        view: &View<'_>,
        field: &Field,
        words: &[Token],
        nearness: Nearness,
        held: &Held,
    ) -> Result<()> {
        let mut there = HashSet::new();
        for text in texts(view, field) {
            there.extend(field.analyzer.tokens(&text).into_iter().map(|token| token.text));
        }
        if there.is_empty() {
            return Ok(());
        }
        self.documents += 1;
        for word in there {
            if let Some(count) = self.near.get_mut(&word) {
                *count += 1;
                continue;
            }
            if self.rejected.contains(&word) {
                continue;
            }
            let chars: Vec<char> = word.chars().collect();
            let is_near = words.iter().any(|wanted| {
                let wanted: Vec<char> = wanted.text.chars().collect();
                nearness.distance(&wanted, &chars).is_some()
            });
            if is_near {
                held.add(WORD_BYTES + word.len())?;
                self.near.insert(word, 1);
            } else if self.rejected.len() < REJECTED_MAX && held.fit(WORD_BYTES + word.len()) {
                self.rejected.insert(word);
            }
        }
        Ok(())
    }

    /// How many different words there are, as far as they are remembered.
    pub(super) fn different(&self) -> usize {
        self.near.len() + self.rejected.len()
    }

    pub(super) fn frequency(&self, word: &str) -> u64 {
        self.near.get(word).copied().unwrap_or(0)
    }

    /// The words that are suggested for one, the best first.
    pub(super) fn candidates(&self, word: &str, options: &Options) -> Vec<Candidate> {
        let own = self.frequency(word);
        let chars: Vec<char> = word.chars().collect();
        let limit = |given: f64| {
            if given >= 1.0 {
                given
            } else {
                given * self.documents as f64
            }
        };
        let is_out = chars.len() < options.length_min
            || (options.mode == Mode::Missing && own > 0)
            || (options.mode == Mode::Popular && own as f64 > limit(options.frequency_max).max(1.0));
        if is_out {
            return Vec::new();
        }
        let mut found: Vec<Candidate> = self
            .near
            .iter()
            .filter(|(text, count)| {
                text.as_str() != word
                    && **count as f64 >= limit(options.documents_min)
                    && (options.mode != Mode::Popular || **count > own)
            })
            .filter_map(|(text, count)| {
                let other: Vec<char> = text.chars().collect();
                let edits = options.nearness.distance(&chars, &other)?;
                let score = options.likeness.of(&chars, &other, edits);
                (score >= options.accuracy).then(|| Candidate {
                    text: text.clone(),
                    score,
                    frequency: *count,
                })
            })
            .collect();
        found.sort_by(|a, b| {
            let by_score = b.score.total_cmp(&a.score);
            let by_frequency = b.frequency.cmp(&a.frequency);
            let both = match options.by_frequency {
                true => by_frequency.then(by_score),
                false => by_score.then(by_frequency),
            };
            both.then_with(|| a.text.cmp(&b.text))
        });
        found.truncate(options.size);
        found
    }
}

/// The texts of a field in a document.
pub(super) fn texts(view: &View<'_>, field: &Field) -> Vec<String> {
    let text = |term: Term| match term {
        Term::Text(text) => Some(text),
        _ => None,
    };
    view.terms(field).into_iter().filter_map(text).collect()
}

/// The analyzer of what was typed.
pub(super) fn analyzer_of(mapping: &Mapping, field: &Field, named: Option<&str>) -> Result<Analyzer> {
    match named {
        None => Ok(field.search_analyzer.clone()),
        Some(name) => mapping
            .analysis()
            .analyzer(name)
            .ok_or_else(|| SearchError::illegal(format!("analyzer [{name}] doesn't exists"))),
    }
}

impl Speller {
    pub(super) fn parse(members: &mut Members<'_>) -> Result<Speller> {
        Ok(Speller {
            field: wanted_field(members)?,
            options: Options::parse(members)?,
            analyzer: members.text("analyzer")?,
            words: Vec::new(),
            counted: Counted::default(),
        })
    }

    pub(super) fn begin(&mut self, mapping: &Mapping, text: &str) -> Result<()> {
        let field = mapping
            .field(&self.field)
            .ok_or_else(|| no_mapping(&self.field))?;
        self.words = analyzer_of(mapping, &field, self.analyzer.as_deref())?.tokens(text);
        self.words.truncate(WORDS_MAX);
        Ok(())
    }

    pub(super) fn see(&mut self, view: &View<'_>, held: &Held) -> Result<()> {
        match view.mapping.field(&self.field) {
            Some(field) => self
                .counted
                .see(view, &field, &self.words, self.options.nearness, held),
            None => Ok(()),
        }
    }

    pub(super) fn finish(self) -> Vec<Value> {
        let options = |word: &Token| {
            let found = self.counted.candidates(&word.text, &self.options);
            let shown = |one: Candidate| json!({"text": one.text, "score": one.score, "freq": one.frequency});
            found.into_iter().map(shown).collect()
        };
        self.words
            .iter()
            .map(|word| entry(&word.text, word.start, word.end - word.start, options(word)))
            .collect()
    }
}
