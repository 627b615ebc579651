//! How what was typed may go on.

use super::near::Nearness;
use super::{ShowSuggested, Suggested, no_mapping, wanted_field};
use mapping::analysis::Analyzer;
use mapping::completion::{self, Completion, CompletionEntry, Context};
use mapping::error::{Result, SearchError};
use mapping::fields::View;
use mapping::geo::Point;
use mapping::json::{Members, as_f64, one_or_many, scalar};
use mapping::{FieldKind, Mapping};
use regex::Regex;
use search::{Held, Seen, lucene_expression};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// What stands between two words.
const SEPARATOR: char = '\u{1f}';
/// Forms of an input at most.
const FORMS_MAX: usize = 64;
/// Options that are kept at most.
const OPTIONS_MAX: usize = 10_000;

#[derive(Clone, Debug)]
pub(super) struct Completer {
    field: String,
    size: usize,
    skips_duplicates: bool,
    fuzzy: Option<Fuzzy>,
    is_regex: bool,
    contexts: Map<String, Value>,
    /// What an input of the present index must be.
    wanted: Option<Wanted>,
    /// What an input's contexts of the present index must be.
    filters: BTreeMap<String, Vec<Filter>>,
    found: Vec<Found>,
}

#[derive(Clone, Copy, Debug)]
struct Fuzzy {
    /// As many as suits the length, by default.
    edits: Option<usize>,
    prefix: usize,
    length_min: usize,
    transposes: bool,
}

#[derive(Clone, Debug)]
enum Wanted {
    Prefix(String),
    Near(Vec<char>, Nearness),
    Pattern(Regex),
}

/// What one value of a context must be, and what it is worth.
#[derive(Clone, Debug)]
struct Filter {
    /// Itself, or its beginning.
    keys: Vec<String>,
    is_prefix: bool,
    boost: f32,
}

#[derive(Clone, Debug)]
struct Found {
    text: String,
    score: f32,
    contexts: BTreeMap<String, Vec<String>>,
    document: Suggested,
}

/// Refuses what is said of a pattern and is no option of one. The limits of what it may cost are those of all patterns here.
fn check_pattern(options: &Value) -> Result<()> {
    let mut members = Members::of("regex", options)?;
    if let Some(Value::String(flags)) = members.take("flags") {
        let known = [
            "INTERSECTION",
            "COMPLEMENT",
            "EMPTY",
            "ANYSTRING",
            "INTERVAL",
            "NONE",
            "ALL",
        ];
        let mut flags = flags.split('|').map(str::to_ascii_uppercase);
        if let Some(other) = flags.find(|flag| !flag.is_empty() && !known.contains(&flag.as_str())) {
            return Err(SearchError::illegal(format!("Unknown regexp flag [{other}]")));
        }
    }
    members.integer("max_determinized_states")?;
    match members.take_first() {
        None => Ok(()),
        Some((other, _)) => Err(SearchError::parsing(format!("[regex] unknown field [{other}]"))),
    }
}

impl Completer {
    pub(super) fn parse(members: &mut Members<'_>, is_regex: bool) -> Result<Completer> {
        let field = wanted_field(members)?;
        let size = members.integer("size")?.unwrap_or(5);
        if size <= 0 || size as usize > OPTIONS_MAX {
            return Err(SearchError::illegal("size must be positive"));
        }
        members.integer("shard_size")?;
        members.text("analyzer")?;
        let contexts = match members.take("contexts").or_else(|| members.take("context")) {
            Some(Value::Object(contexts)) => contexts.clone(),
            Some(_) => return Err(SearchError::parsing("[contexts] must be an object")),
            None => Map::new(),
        };
        if let Some(pattern) = members.take("regex") {
            check_pattern(pattern)?;
        }
        Ok(Completer {
            field,
            size: size as usize,
            skips_duplicates: members.flag("skip_duplicates")?.unwrap_or(false),
            fuzzy: members.take("fuzzy").map(Fuzzy::parse).transpose()?.flatten(),
            is_regex,
            contexts,
            wanted: None,
            filters: BTreeMap::new(),
            found: Vec::new(),
        })
    }

    pub(super) fn begin(&mut self, mapping: &Mapping, text: &str) -> Result<()> {
        self.wanted = None;
        let field = mapping
            .field(&self.field)
            .ok_or_else(|| no_mapping(&self.field))?;
        let (FieldKind::Completion, Some(settings)) = (&field.kind, &field.completion) else {
            return Err(SearchError::illegal(format!(
                "Field [{}] is not a completion suggest field",
                self.field
            )));
        };
        if settings.contexts.is_empty() && !self.contexts.is_empty() {
            return Err(SearchError::illegal(format!(
                "suggester [{}] doesn't expect any context",
                self.field
            )));
        }
        self.filters = filters(settings, &self.contexts)?;
        let is_filtered = self.filters.values().any(|filters| !filters.is_empty());
        if !settings.contexts.is_empty() && !is_filtered {
            return Err(SearchError::illegal(
                "Missing mandatory contexts in context query",
            ));
        }
        if text.is_empty() {
            return Ok(());
        }
        let text_form = joined(&field.search_analyzer, settings, text);
        self.wanted = Some(match (&self.fuzzy, self.is_regex) {
            (_, true) => Wanted::Pattern(lucene_expression(text, false)?),
            (Some(fuzzy), false) => {
                let word: Vec<char> = text_form.chars().collect();
                let near = fuzzy.nearness(word.len());
                Wanted::Near(word, near)
            }
            (None, false) => Wanted::Prefix(text_form),
        });
        Ok(())
    }

    pub(super) fn see(&mut self, view: &View<'_>, index: usize, seen: &Seen<'_>, held: &Held) -> Result<()> {
        let Some(field) = view.mapping.field(&self.field) else {
            return Ok(());
        };
        let (Some(wanted), Some(settings)) = (&self.wanted, &field.completion) else {
            return Ok(());
        };
        let mut best: Option<(String, f32, &CompletionEntry)> = None;
        let entries = completion::entries(view, &field);
        for entry in &entries {
            let Some(boost) = self.boost(entry) else { continue };
            for input in &entry.inputs {
                let forms = forms(&field.analyzer, settings, input);
                let factors = forms.iter().filter_map(|form| wanted.factor(form));
                let Some(factor) = factors.reduce(f32::max) else {
                    continue;
                };
                let score = boost * factor * entry.weight as f32;
                let is_better = best
                    .as_ref()
                    .is_none_or(|(text, most, _)| score > *most || (score == *most && input < text));
                if is_better {
                    best = Some((input.clone(), score, entry));
                }
            }
        }
        if let Some((text, score, entry)) = best {
            let found = Found {
                text,
                score,
                contexts: self.matched(entry),
                document: Suggested {
                    index,
                    id: seen.id.to_owned(),
                    document: seen.document.clone(),
                },
            };
            let bytes = found.bytes();
            if !held.fit(bytes) {
                self.trim(held);
                held.add(bytes)?;
            }
            self.found.push(found);
            if self.found.len() > 2 * self.size + 1000 {
                self.trim(held);
            }
        }
        Ok(())
    }

    /// What the contexts of an entry are worth; `None` if they are not those that are wanted.
    fn boost(&self, entry: &CompletionEntry) -> Option<f32> {
        let mut best: Option<f32> = None;
        let mut is_filtered = false;
        for (name, filters) in self.filters.iter().filter(|(_, filters)| !filters.is_empty()) {
            is_filtered = true;
            let keys = entry.contexts.get(name).map(Vec::as_slice).unwrap_or_default();
            for filter in filters
                .iter()
                .filter(|filter| keys.iter().any(|key| filter.fits(key)))
            {
                best = Some(best.unwrap_or(0.0).max(filter.boost));
            }
        }
        if is_filtered { best } else { Some(1.0) }
    }

    /// The values of the contexts of an entry for which it was found.
    fn matched(&self, entry: &CompletionEntry) -> BTreeMap<String, Vec<String>> {
        let of_one = |(name, keys): (&String, &Vec<String>)| {
            let filters = self.filters.get(name)?;
            let fits = |key: &&String| filters.iter().any(|filter| filter.fits(key));
            let keys: Vec<String> = keys.iter().filter(fits).cloned().collect();
            Some((name.clone(), keys))
        };
        entry.contexts.iter().filter_map(of_one).collect()
    }

    fn trim(&mut self, held: &Held) {
        let bytes = |found: &[Found]| found.iter().map(Found::bytes).sum::<usize>();
        let before = bytes(&self.found);
        self.found
            .sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.text.cmp(&b.text)));
        if self.skips_duplicates {
            let mut texts = HashSet::new();
            self.found.retain(|found| texts.insert(found.text.clone()));
        }
        self.found.truncate(self.size);
        held.give_back(before - bytes(&self.found));
    }

    pub(super) fn finish(mut self, show: &ShowSuggested<'_>, held: &Held) -> Result<Vec<Value>> {
        self.trim(held);
        let mut options = Vec::new();
        for found in &self.found {
            let mut option = Map::from_iter([("text".to_owned(), json!(found.text))]);
            show(&found.document, &mut option)?;
            option.insert("_score".to_owned(), json!(f64::from(found.score)));
            let contexts: Map<String, Value> = found
                .contexts
                .iter()
                .filter(|(name, keys)| !keys.is_empty() && self.contexts.contains_key(*name))
                .map(|(name, keys)| (name.clone(), json!(keys)))
                .collect();
            if !contexts.is_empty() {
                option.insert("contexts".to_owned(), Value::Object(contexts));
            }
            let option = Value::Object(option);
            held.add_shown(&option)?;
            options.push(option);
        }
        Ok(options)
    }
}

impl Found {
    /// About the bytes that it takes in memory.
    fn bytes(&self) -> usize {
        let texts = self.contexts.iter().map(|(name, keys)| {
            let keys = keys.iter().map(|key| size_of::<String>() + key.len());
            2 * size_of::<String>() + name.len() + keys.sum::<usize>()
        });
        let document = &self.document;
        size_of::<Found>()
            + self.text.len()
            + document.id.len()
            + document.document.bytes().len()
            + texts.sum::<usize>()
    }
}

impl Wanted {
    /// What a text that begins so is worth; `None` for one that does not.
    fn factor(&self, text: &str) -> Option<f32> {
        match self {
            Wanted::Prefix(prefix) => text.starts_with(prefix.as_str()).then_some(1.0),
            Wanted::Near(word, near) => {
                let text: Vec<char> = text.chars().collect();
                // As many times as characters are the same until one is not.
                let same = word.iter().zip(&text).position(|(a, b)| a != b).unwrap_or(0);
                near.begins(word, &text).then_some(same.max(1) as f32)
            }
            Wanted::Pattern(pattern) => pattern.is_match(&text.replace(SEPARATOR, " ")).then_some(1.0),
        }
    }
}

impl Fuzzy {
    fn parse(value: &Value) -> Result<Option<Fuzzy>> {
        if let Value::Bool(is_fuzzy) = value {
            return Ok(is_fuzzy.then_some(Fuzzy::default()));
        }
        let mut members = Members::of("fuzzy", value)?;
        let default = Fuzzy::default();
        let count = |number: Option<i64>, default: usize, name: &str| match number.map(usize::try_from) {
            None => Ok(default),
            Some(Ok(number)) => Ok(number),
            Some(Err(_)) => Err(SearchError::illegal(format!("{name} must not be negative"))),
        };
        let edits = match members.text("fuzziness")?.as_deref() {
            None => default.edits,
            Some(text) if text.to_ascii_uppercase().starts_with("AUTO") => None,
            Some(text) => match text.parse::<f64>() {
                // More than two are two.
                Ok(edits) if edits >= 0.0 => Some((edits as usize).min(2)),
                _ => return Err(SearchError::illegal(format!("[fuzziness] cannot be [{text}]"))),
            },
        };
        let fuzzy = Fuzzy {
            edits,
            prefix: count(
                members.integer("prefix_length")?,
                default.prefix,
                "fuzzyPrefixLength",
            )?,
            length_min: count(
                members.integer("min_length")?,
                default.length_min,
                "fuzzyMinLength",
            )?,
            transposes: members.flag("transpositions")?.unwrap_or(true),
        };
        members.flag("unicode_aware")?;
        members.integer("max_determinized_states")?;
        if let Some((other, _)) = members.take_first() {
            return Err(SearchError::parsing(format!("[fuzzy] unknown field [{other}]")));
        }
        Ok(Some(fuzzy))
    }

    fn nearness(self, length: usize) -> Nearness {
        let suitable = match length {
            0..=2 => 0,
            3..=5 => 1,
            _ => 2,
        };
        Nearness {
            edits: if length < self.length_min {
                0
            } else {
                self.edits.unwrap_or(suitable)
            },
            prefix: self.prefix,
            transposes: self.transposes,
        }
    }
}

impl Default for Fuzzy {
    fn default() -> Fuzzy {
        Fuzzy {
            edits: Some(1),
            prefix: 1,
            length_min: 3,
            transposes: true,
        }
    }
}

/// The words of a text as they are compared, the first ones where several stand at one place.
fn joined(analyzer: &Analyzer, settings: &Completion, text: &str) -> String {
    forms(analyzer, settings, text).swap_remove(0)
}

/// All forms of a text, of which there are several where several words stand at one place, as synonyms do; at least one.
fn forms(analyzer: &Analyzer, settings: &Completion, text: &str) -> Vec<String> {
    let tokens = analyzer.tokens(text);
    let mut forms = vec![String::new()];
    let mut rest = &tokens[..];
    while let Some(first) = rest.first() {
        let alike = rest.iter().take_while(|token| token.position == first.position);
        let (place, later) = rest.split_at(alike.count());
        let begins = if settings.keeps_separators && rest.len() < tokens.len() {
            forms.iter().map(|form| format!("{form}{SEPARATOR}")).collect()
        } else {
            forms
        };
        let longer = begins
            .iter()
            .flat_map(|form| place.iter().map(move |token| format!("{form}{}", token.text)));
        forms = longer.take(FORMS_MAX).collect();
        rest = later;
    }
    forms
}

fn filters(settings: &Completion, given: &Map<String, Value>) -> Result<BTreeMap<String, Vec<Filter>>> {
    let mut all = BTreeMap::new();
    for (name, value) in given {
        let context = settings.contexts.iter().find(|context| context.name == *name);
        let context = context.ok_or_else(|| {
            let known: Vec<&str> = settings
                .contexts
                .iter()
                .map(|context| context.name.as_str())
                .collect();
            SearchError::illegal(format!(
                "Unknown context name [{name}], must be one of [{}]",
                known.join(", ")
            ))
        })?;
        let values = match value {
            // Two numbers are one place.
            Value::Array(pair)
                if context.precision.is_some() && pair.iter().all(Value::is_number) && !pair.is_empty() =>
            {
                vec![value]
            }
            value => one_or_many(value),
        };
        let filters: Result<Vec<Filter>> = values
            .into_iter()
            .map(|value| Filter::parse(context, value))
            .collect();
        all.insert(name.clone(), filters?);
    }
    Ok(all)
}

impl Filter {
    fn fits(&self, key: &str) -> bool {
        self.keys.iter().any(|wanted| match self.is_prefix {
            true => key.starts_with(wanted.as_str()),
            false => key == wanted,
        })
    }

    fn parse(context: &Context, value: &Value) -> Result<Filter> {
        let (mut boost, mut is_prefix, mut precision, mut neighbours) = (1.0, false, None, None);
        let mut wanted = value;
        if let Value::Object(object) = value
            && object.contains_key("context")
        {
            let mut members = Members::of_object("contexts", object);
            wanted = members.take("context").unwrap_or(value);
            boost = members.take("boost").and_then(as_f64).unwrap_or(1.0) as f32;
            is_prefix = members.flag("prefix")?.unwrap_or(false);
            precision = members.take("precision");
            neighbours = members.take("neighbours");
            members.end()?;
        }
        let Some(length) = context.precision else {
            let key = scalar(wanted).ok_or_else(|| {
                SearchError::parsing("category context must be an object, string, number or boolean")
            })?;
            return Ok(Filter {
                keys: vec![key],
                is_prefix,
                boost,
            });
        };
        let point = Point::of_json(wanted).ok_or_else(|| SearchError::parsing("failed to parse a point"))?;
        let length = precision.map_or(Ok(length), completion::cell_length)?.min(length);
        let around = match neighbours {
            None => vec![length],
            Some(list) => one_or_many(list)
                .into_iter()
                .map(completion::cell_length)
                .collect::<Result<Vec<_>>>()?,
        };
        let mut keys = vec![point.geohash(length)];
        for length in around {
            keys.extend(point.neighbours(length));
        }
        Ok(Filter {
            keys,
            is_prefix: true,
            boost,
        })
    }
}
