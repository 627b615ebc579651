//! A whole text with words put in the place of others.

use super::collate::{Collate, Collated};
use super::near::Nearness;
use super::smoothing::{Frequencies, Smoothing};
use super::terms::{Candidate, Counted, Mode, Options, WORD_BYTES, analyzer_of, at_least, texts};
use super::{entry, no_mapping, wanted_field};
use mapping::Mapping;
use mapping::analysis::Token;
use mapping::error::{Result, SearchError};
use mapping::fields::View;
use mapping::json::{Members, one_or_many};
use mapping::short::shortest;
use search::Held;
use serde_json::{Value, json};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// A phrase of as many words is too long for suggestions, whatever a request says.
const WORDS_MAX: usize = 100;
/// The words of the phrases among which likelihoods are looked up at most.
const GRAM_MAX: usize = 3;
/// Texts that are kept after each word.
const BEAM: usize = 200;

/// The part of the words that may be wrong by default. Elasticsearch's manual says one word, but its code has this.
const ERRORS_MAX: f64 = 0.5;

/// What stands between the words of phrases that are suggested.
const BETWEEN: &str = " ";

/// The words of a text, its score as a logarithm to the base of 10, and which of the words were changed.
type Text = (Vec<String>, f64, Vec<bool>);

#[derive(Clone, Debug)]
pub(super) struct Phraser {
    field: String,
    size: usize,
    /// How many texts are asked with a query at most, of which `size` are suggested.
    tried: usize,
    collate: Option<Collate>,
    smoothing: Smoothing,
    /// Words of which others may be put in the place: a number, or a part.
    errors_max: f64,
    confidence: f64,
    /// How likely a word is right.
    word_likelihood: f64,
    /// What stands between the words of terms that are several words.
    separator: String,
    /// How many words together are looked up; where nothing is said, as many as the field's terms have.
    gram: Option<usize>,
    /// From how many words on nothing is suggested.
    limit: usize,
    /// Whether terms of several words are left to those within them.
    is_of_words: bool,
    marks: Option<(String, String)>,
    analyzer: Option<String>,
    generators: Vec<Options>,
    words: Vec<Token>,
    counted: Counted,
    /// How often terms occur that are made of words that are near those of the phrase.
    terms: HashMap<String, u64>,
    /// All terms of all documents.
    total: u64,
}

/// Where the words come from that are tried: one or more terms suggesters.
fn generators(members: &mut Members<'_>) -> Result<Vec<Options>> {
    let given = members.take("direct_generator").map(one_or_many);
    let mut generators = Vec::new();
    for value in given.unwrap_or_default() {
        let mut inner = Members::of("direct_generator", value)?;
        let missing = || SearchError::illegal("Required [field]");
        inner.text("field")?.ok_or_else(missing)?;
        for filter in ["pre_filter", "post_filter"] {
            if inner.take(filter).is_some() {
                return Err(SearchError::unsupported(format!(
                    "[{filter}] of a [direct_generator]"
                )));
            }
        }
        generators.push(Options::parse(&mut inner)?);
        if let Some((other, _)) = inner.take_first() {
            return Err(SearchError::parsing(format!(
                "[direct_generator] unknown field [{other}]"
            )));
        }
    }
    if generators.is_empty() {
        let nothing = json!({});
        generators.push(Options::parse(&mut Members::of("direct_generator", &nothing)?)?);
    }
    Ok(generators)
}

/// What stands before and after words that were replaced; `None` if nothing does.
fn marks(highlight: &Value) -> Result<Option<(String, String)>> {
    let mut members = Members::of("highlight", highlight)?;
    let (before, after) = (members.text("pre_tag")?, members.text("post_tag")?);
    members.end()?;
    match (before, after) {
        (None, None) => Ok(None),
        (Some(before), Some(after)) => Ok(Some((before, after))),
        _ => Err(SearchError::illegal(
            "Pre and post tag must both be null or both not be null.",
        )),
    }
}

impl Phraser {
    pub(super) fn parse(members: &mut Members<'_>) -> Result<Phraser> {
        let field = wanted_field(members)?;
        let generators = generators(members)?;
        let smoothing = members.take("smoothing").map(Smoothing::parse).transpose()?;
        let collate = members.take("collate").map(Collate::parse).transpose()?;
        let marks = members.take("highlight").map(marks).transpose()?.flatten();
        let gram = members.integer("gram_size")?;
        let gram = gram.map(|size| at_least(Some(size), 1, 1, "gramSize must be >= 1"));
        let limit = at_least(members.integer("token_limit")?, 10, 1, "token_limit must be >= 1")?;
        let size = at_least(members.integer("size")?, 5, 1, "size must be positive")?;
        let tried = members.integer("shard_size")?;
        let is_of_words = members.flag("force_unigrams")?.unwrap_or(true);
        let number = |number: Option<f64>, default: f64, is_fine: fn(f64) -> bool, reason: &str| {
            let number = number.unwrap_or(default);
            is_fine(number)
                .then_some(number)
                .ok_or_else(|| SearchError::illegal(reason))
        };
        let is_positive = |number: f64| number > 0.0;
        Ok(Phraser {
            field,
            size,
            tried: tried
                .and_then(|most| usize::try_from(most).ok())
                .unwrap_or(size.max(5)),
            collate,
            smoothing: smoothing.unwrap_or(Smoothing::StupidBackoff { discount: 0.4 }),
            errors_max: number(
                members.number("max_errors")?,
                ERRORS_MAX,
                is_positive,
                "max_error must be > 0.0",
            )?,
            confidence: number(
                members.number("confidence")?,
                1.0,
                |number| number >= 0.0,
                "confidence must be >= 0.0",
            )?,
            word_likelihood: number(
                members.number("real_word_error_likelihood")?,
                0.95,
                is_positive,
                "real_word_error_likelihood must be > 0.0",
            )?,
            separator: members.text("separator")?.unwrap_or_else(|| " ".to_owned()),
            gram: gram.transpose()?,
            limit: limit.min(WORDS_MAX),
            is_of_words,
            marks,
            analyzer: members.text("analyzer")?,
            generators,
            words: Vec::new(),
            counted: Counted::default(),
            terms: HashMap::new(),
            total: 0,
        })
    }

    pub(super) fn begin(&mut self, mapping: &Mapping, text: &str) -> Result<()> {
        let field = mapping
            .field(&self.field)
            .ok_or_else(|| no_mapping(&self.field))?;
        let mut words = analyzer_of(mapping, &field, self.analyzer.as_deref())?.tokens(text);
        let parts = |word: &Token| word.text.split(self.separator.as_str()).count();
        if !field.is_keyword() {
            let longest = words.iter().map(parts).max().unwrap_or(1);
            self.gram = self.gram.or(Some(longest));
            if self.is_of_words && !words.is_empty() {
                words.retain(|word| parts(word) == 1);
                if words.is_empty() {
                    return Err(SearchError::illegal(
                        "At least one unigram is required but all tokens were ngrams",
                    ));
                }
            }
        }
        // Of a phrase that is too long nothing is suggested at all.
        if words.len() >= self.limit {
            words.clear();
        }
        self.words = words;
        Ok(())
    }

    pub(super) fn see(&mut self, view: &View<'_>, held: &Held) -> Result<()> {
        let Some(field) = view.mapping.field(&self.field) else {
            return Ok(());
        };
        let all = self.generators.iter().map(|generator| generator.nearness);
        if let Some(widest) = all.reduce(Nearness::or) {
            self.counted.see(view, &field, &self.words, widest, held)?;
        }
        let is_known = |text: &str| self.counted.near.contains_key(text);
        for text in texts(view, &field) {
            let tokens = field.analyzer.tokens(&text);
            self.total += tokens.len() as u64;
            for token in tokens {
                let mut words = token.text.split(self.separator.as_str());
                if !is_known(&token.text) && !words.all(is_known) {
                    continue;
                }
                let bytes = WORD_BYTES + token.text.len();
                *match self.terms.entry(token.text) {
                    Entry::Occupied(there) => there.into_mut(),
                    Entry::Vacant(free) => {
                        held.add(bytes)?;
                        free.insert(0)
                    }
                } += 1;
            }
        }
        Ok(())
    }

    /// How likely a word is after others.
    fn likelihood(&self, before: &[String], word: &str) -> f64 {
        let of = |words: &[&str]| {
            let term = words.join(&self.separator);
            self.terms.get(&term).copied().unwrap_or(0) as f64
        };
        let field = Frequencies {
            of: &of,
            total: self.total as f64,
            different: self.counted.different() as f64,
        };
        let together = self.gram.unwrap_or(1).clamp(1, GRAM_MAX) - 1;
        let first = before.len().saturating_sub(together);
        let before: Vec<&str> = before.iter().skip(first).map(String::as_str).collect();
        self.smoothing.likelihood(&field, &before, word)
    }

    fn choices(&self, word: &str) -> Vec<Candidate> {
        let known = self.counted.frequency(word);
        let mut found = vec![Candidate {
            text: word.to_owned(),
            score: self.word_likelihood,
            frequency: known,
        }];
        let mut seen = HashSet::from([word.to_owned()]);
        for generator in &self.generators {
            let is_missing = generator.mode == Mode::Missing && known == 0;
            let always = generator.with_mode(if is_missing { Mode::Always } else { generator.mode });
            let candidates = self.counted.candidates(word, &always);
            let candidates = candidates.into_iter().map(|one| Candidate {
                // What is the same is as likely as the word itself.
                score: if one.score == 1.0 {
                    self.word_likelihood
                } else {
                    one.score
                },
                ..one
            });
            found.extend(candidates.filter(|one| seen.insert(one.text.clone())));
        }
        found
    }

    /// The queries that are to be asked before it is finished.
    pub(super) fn collated(&self, at: usize) -> Vec<Collated> {
        let Some(collate) = &self.collate else {
            return Vec::new();
        };
        let texts = self.texts().into_iter().take(self.tried);
        let phrases = texts.map(|(words, _, _)| words.join(BETWEEN));
        phrases.map(|phrase| collate.of(at, phrase)).collect()
    }

    /// Learns that a phrase matches something.
    pub(super) fn matches(&mut self, phrase: &str) {
        if let Some(collate) = &mut self.collate {
            collate.matching.insert(phrase.to_owned());
        }
    }

    /// The texts that are better than what was given, by as much as is wanted, the best first.
    fn texts(&self) -> Vec<Text> {
        if self.words.is_empty() {
            return Vec::new();
        }
        let limit = match self.errors_max >= 1.0 {
            true => self.errors_max as usize,
            false => ((self.errors_max * self.words.len() as f64).round() as usize).max(1),
        };
        let mut texts: Vec<Text> = vec![(Vec::new(), 0.0, Vec::new())];
        for word in &self.words {
            let choices = self.choices(&word.text);
            let mut longer = Vec::new();
            for (chosen, score, changed) in &texts {
                for choice in &choices {
                    let is_changed = choice.text != word.text;
                    if is_changed && changed.iter().filter(|one| **one).count() >= limit {
                        continue;
                    }
                    let likely = self.likelihood(chosen, &choice.text);
                    let mut next = (
                        chosen.clone(),
                        score + (likely * choice.score).log10(),
                        changed.clone(),
                    );
                    next.0.push(choice.text.clone());
                    next.2.push(is_changed);
                    longer.push(next);
                }
            }
            longer.sort_by(|a, b| b.1.total_cmp(&a.1));
            longer.truncate(BEAM);
            texts = longer;
        }
        let unchanged = texts.iter().find(|(_, _, changed)| !changed.contains(&true));
        let least = unchanged.map_or(0.0, |(_, score, _)| score.exp() * self.confidence);
        texts.retain(|(_, score, _)| score.exp() > least);
        texts
    }

    pub(super) fn finish(self, text: &str) -> Vec<Value> {
        let mut options = Vec::new();
        let texts = self.texts();
        let tried = self.collate.as_ref().map_or(usize::MAX, |_| self.tried);
        for (words, score, changed) in texts.iter().take(tried) {
            if options.len() == self.size {
                break;
            }
            let phrase = words.join(BETWEEN);
            let told = match &self.collate {
                None => None,
                Some(collate) => {
                    let matches = collate.matching.contains(&phrase);
                    if !matches && !collate.is_told {
                        continue;
                    }
                    collate.is_told.then_some(matches)
                }
            };
            let mut option = json!({"text": phrase, "score": shortest(score.exp() as f32)});
            if let Some((before, after)) = &self.marks {
                option["highlighted"] = json!(marked(words, changed, before, after));
            }
            if let Some(matches) = told {
                option["collate_match"] = json!(matches);
            }
            options.push(option);
        }
        vec![entry(text, 0, text.chars().count(), options)]
    }
}

/// The text with marks around what was changed.
fn marked(words: &[String], changed: &[bool], before: &str, after: &str) -> String {
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        let is_first = changed[at] && (at == 0 || !changed[at - 1]);
        let is_last = changed[at] && changed.get(at + 1) != Some(&true);
        if at > 0 {
            out.push_str(BETWEEN);
        }
        if is_first {
            out.push_str(before);
        }
        out.push_str(word);
        if is_last {
            out.push_str(after);
        }
    }
    out
}
