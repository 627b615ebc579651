//! Analyzers by name: those that are always there, and those of a collection's settings.

use super::built_in::built_in;
use super::char_filters::{CharFilter, Mappings, Replacement};
use super::filters::{Filter, Shingles};
use super::stems::Stem;
use super::synonyms::Synonyms;
use super::tokenizers::{CharClass, Tokenizer};
use super::word_filters::WordFilter;
use super::word_list::{WordList, words};
use super::word_parts::{Types, WordParts};
use super::word_settings::{excluded, word_filter};
use super::{Analyzer, lucene_patterns, patterns, position_gap, stops};
use crate::error::{Result, SearchError};
use crate::json::{Members, as_bool, one_or_many, scalar};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Character filters and filters of an analyzer at most: each may add as much to a text as one of them has room for.
pub(super) const FILTERS_MAX: usize = 32;

/// The analyzers of a collection.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    analyzers: HashMap<String, Analyzer>,
    normalizers: HashMap<String, Analyzer>,
    /// `tokenizer`, `filter` and `char_filter` of the settings, which `_analyze` may name too.
    settings: Map<String, Value>,
    /// All of the settings, as a text.
    source: String,
}

impl Analysis {
    /// Reads the `analysis` of an index's settings.
    pub fn parse(settings: &Value) -> Result<Analysis> {
        let mut analysis = Analysis {
            source: settings.to_string(),
            ..Analysis::default()
        };
        let Value::Object(settings) = settings else {
            return Err(SearchError::illegal("[analysis] must be an object"));
        };
        for (name, value) in settings {
            match name.as_str() {
                "tokenizer" | "filter" | "char_filter" => {
                    analysis.settings.insert(name.clone(), value.clone());
                }
                "analyzer" | "normalizer" => {}
                other => {
                    return Err(SearchError::illegal(format!(
                        "unknown setting [index.analysis.{other}]"
                    )));
                }
            }
        }
        for kind in ["analyzer", "normalizer"] {
            for (name, definition) in settings
                .get(kind)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                let made = analysis.defined(name, definition, kind == "normalizer")?;
                match kind {
                    "analyzer" => analysis.analyzers.insert(name.clone(), made),
                    _ => analysis.normalizers.insert(name.clone(), made),
                };
            }
        }
        Ok(analysis)
    }

    /// What it was made of, as a text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The analyzer of this name; `None` if there is none.
    pub fn analyzer(&self, name: &str) -> Option<Analyzer> {
        self.analyzers.get(name).cloned().or_else(|| built_in(name))
    }

    /// Adds an analyzer that does more with the terms of another.
    pub fn derive(&mut self, name: &str, base: &str, filters: &[Value]) -> Result<()> {
        let unknown = || SearchError::illegal(format!("there is no analyzer [{base}]"));
        let mut analyzer = self.analyzer(base).ok_or_else(unknown)?;
        for filter in filters {
            let filter = self.filter(filter, &analyzer)?;
            analyzer.filters.push(Arc::new(filter));
        }
        self.analyzers.insert(name.to_owned(), analyzer);
        Ok(())
    }

    /// The normalizer of this name; `None` if there is none.
    pub fn normalizer(&self, name: &str) -> Option<Analyzer> {
        let lowercase = || Analyzer::new(Tokenizer::Keyword, vec![Filter::Lowercase]);
        let built_in = || (name == "lowercase").then(lowercase);
        self.normalizers.get(name).cloned().or_else(built_in)
    }

    /// An analyzer of these parts, each by name or defined there.
    pub fn of_parts(
        &self,
        tokenizer: Option<&Value>,
        filters: &[&Value],
        char_filters: &[&Value],
    ) -> Result<Analyzer> {
        if filters.len() + char_filters.len() > FILTERS_MAX {
            return Err(SearchError::illegal(format!(
                "an analyzer must not have more than [{FILTERS_MAX}] filters"
            )));
        }
        let tokenizer = match tokenizer {
            None => Tokenizer::Keyword,
            Some(tokenizer) => self.tokenizer(tokenizer)?,
        };
        let char_filters = char_filters
            .iter()
            .map(|filter| self.char_filter(filter).map(Arc::new))
            .collect::<Result<_>>()?;
        let mut analyzer = Analyzer {
            char_filters,
            ..Analyzer::new(tokenizer, Vec::new())
        };
        for filter in filters {
            let filter = self.filter(filter, &analyzer)?;
            analyzer.filters.push(Arc::new(filter));
        }
        Ok(analyzer)
    }

    fn defined(&self, name: &str, definition: &Value, is_normalizer: bool) -> Result<Analyzer> {
        let mut members = Members::of(name, definition)?;
        let kind = members.text("type")?.unwrap_or_else(|| "custom".to_owned());
        let mut analyzer = match kind.as_str() {
            "custom" => {
                let tokenizer = members.take("tokenizer");
                if tokenizer.is_none() && !is_normalizer {
                    return Err(SearchError::illegal(format!(
                        "analyzer [{name}] must specify either an analyzer type, or a tokenizer"
                    )));
                }
                let mut list = |name: &str| members.take(name).map(one_or_many).unwrap_or_default();
                let (filters, char_filters) = (list("filter"), list("char_filter"));
                self.of_parts(tokenizer, &filters, &char_filters)?
            }
            "pattern" => {
                let pattern = patterns::taken(&mut members, r"\W+")?;
                let mut filters = Vec::new();
                if members.flag("lowercase")?.unwrap_or(true) {
                    filters.push(Filter::Lowercase);
                }
                Analyzer::new(Tokenizer::Pattern { pattern, group: None }, filters)
            }
            other => built_in(other).ok_or_else(|| {
                SearchError::illegal(format!("Unknown analyzer type [{other}] for [{name}]"))
            })?,
        };
        if let Some(words) = members.take("stopwords") {
            put_stop_words(&mut analyzer, WordList::new(stop_words(words)?, false));
        }
        let is_stem = |filter: &Arc<Filter>| matches!(**filter, Filter::Stem(_));
        if let Some(at) = analyzer.filters.iter().position(is_stem)
            && kind != "custom"
            && let Some(given) = members.take("stem_exclusion")
        {
            let marks = Filter::Words(excluded(words(Some(given))));
            analyzer.filters.insert(at, Arc::new(marks));
        }
        if let Some(longest) = longest(&mut members)? {
            analyzer.tokenizer = Tokenizer::Standard { longest };
        }
        if let Some(gap) = position_gap(&mut members)? {
            analyzer.gap = gap;
        }
        members.end()?;
        Ok(analyzer)
    }

    /// A definition by the name of its settings, or given in place.
    fn definition<'a>(&'a self, kind: &str, value: &'a Value) -> Result<(String, Map<String, Value>)> {
        let of = |definition: &Value, name: &str| match definition {
            Value::Object(definition) => {
                let mut definition = definition.clone();
                let kind = definition.remove("type").and_then(|kind| scalar(&kind));
                Ok((kind.unwrap_or_else(|| name.to_owned()), definition))
            }
            _ => Err(SearchError::illegal(format!("[{name}] must be an object"))),
        };
        match value {
            Value::String(name) => match self.settings.get(kind).and_then(|named| named.get(name)) {
                Some(definition) => of(definition, name),
                None => Ok((name.clone(), Map::new())),
            },
            other => of(other, "custom"),
        }
    }

    fn tokenizer(&self, value: &Value) -> Result<Tokenizer> {
        let (kind, definition) = self.definition("tokenizer", value)?;
        let mut members = Members::of_object(&*kind, &definition);
        let tokenizer = match kind.as_str() {
            "standard" => match longest(&mut members)? {
                Some(longest) => Tokenizer::Standard { longest },
                None => Tokenizer::standard(),
            },
            "keyword" => {
                // Texts are read as a whole.
                members.count("buffer_size")?;
                Tokenizer::Keyword
            }
            "whitespace" => Tokenizer::Whitespace,
            "letter" => Tokenizer::Letter { lowercase: false },
            "lowercase" => Tokenizer::Letter { lowercase: true },
            "pattern" => {
                let pattern = patterns::taken(&mut members, r"\W+")?;
                // With -1, what lies between is found.
                let group = members
                    .integer("group")?
                    .and_then(|group| usize::try_from(group).ok());
                Tokenizer::Pattern { pattern, group }
            }
            "simple_pattern" | "simple_pattern_split" => lucene_patterns::tokenizer(&kind, &mut members)?,
            "ngram" | "nGram" | "edge_ngram" | "edgeNGram" => {
                let (least, most) = lengths(&mut members, 1, 2)?;
                let classes = words(members.take("token_chars"));
                let named = classes.iter().map(|name| char_class(name));
                let named: Vec<CharClass> = named.collect::<Result<_>>()?;
                let classes = CharClass::ALL.into_iter().filter(|class| named.contains(class));
                Tokenizer::Ngram {
                    least,
                    most,
                    edge: kind.starts_with("edge"),
                    classes: classes.collect(),
                }
            }
            "path_hierarchy" => {
                members.count("buffer_size")?;
                let first = |text: Option<String>| text.and_then(|text| text.chars().next());
                let delimiter = first(members.text("delimiter")?).unwrap_or('/');
                Tokenizer::Path {
                    delimiter,
                    replacement: first(members.text("replacement")?).unwrap_or(delimiter),
                    reverse: members.flag("reverse")?.unwrap_or(false),
                    skip: members.count("skip")?.unwrap_or(0),
                }
            }
            "char_group" => {
                let named = members
                    .take("tokenize_on_chars")
                    .map(one_or_many)
                    .unwrap_or_default();
                let named: Vec<String> = named.into_iter().filter_map(scalar).collect();
                let single = named.iter().filter(|text| text.chars().count() == 1);
                let chars = single.filter_map(|text| text.chars().next()).collect();
                Tokenizer::Chars(chars, named.iter().any(|text| text == "whitespace"))
            }
            other => {
                return Err(SearchError::illegal(format!(
                    "failed to find global tokenizer under [{other}]"
                )));
            }
        };
        members.end()?;
        Ok(tokenizer)
    }

    fn char_filter(&self, value: &Value) -> Result<CharFilter> {
        let (kind, definition) = self.definition("char_filter", value)?;
        let mut members = Members::of_object(&*kind, &definition);
        let filter = match kind.as_str() {
            "html_strip" => CharFilter::HtmlStrip,
            "pattern_replace" => {
                let pattern = patterns::taken(&mut members, "")?;
                let by = members.text("replacement")?.unwrap_or_default();
                CharFilter::Replace(Replacement::new(pattern, &by))
            }
            "mapping" => {
                let rules = members.take("mappings").map(one_or_many).unwrap_or_default();
                let rule = |rule: &Value| {
                    let text = scalar(rule).unwrap_or_default();
                    let pair = text
                        .split_once("=>")
                        .map(|(from, to)| (from.trim().to_owned(), to.trim().to_owned()));
                    pair.ok_or_else(|| SearchError::illegal(format!("Invalid Mapping Rule : [{text}]")))
                };
                CharFilter::Mapping(Mappings::new(rules.into_iter().map(rule).collect::<Result<_>>()?))
            }
            other => {
                return Err(SearchError::illegal(format!(
                    "failed to find global char_filter under [{other}]"
                )));
            }
        };
        members.end()?;
        Ok(filter)
    }

    /// A filter that comes after what an analyzer does already.
    fn filter(&self, value: &Value, before: &Analyzer) -> Result<Filter> {
        let (kind, definition) = self.definition("filter", value)?;
        let mut members = Members::of_object(&*kind, &definition);
        let filter = token_filter(&kind, &mut members, before)?;
        members.end()?;
        Ok(filter)
    }
}

/// Puts stop words in the place of those that an analyzer has.
fn put_stop_words(analyzer: &mut Analyzer, words: WordList) {
    let stop = Arc::new(Filter::Stop(words));
    let is_stop = |filter: &Arc<Filter>| matches!(**filter, Filter::Stop(_));
    match analyzer.filters.iter().position(is_stop) {
        Some(at) => analyzer.filters[at] = stop,
        None => analyzer.filters.push(stop),
    }
}

fn token_filter(kind: &str, members: &mut Members<'_>, before: &Analyzer) -> Result<Filter> {
    Ok(match kind {
        "lowercase" => Filter::Lowercase,
        "uppercase" => Filter::Uppercase,
        "asciifolding" => Filter::AsciiFolding {
            keeps: is_set(members, "preserve_original")?,
        },
        "decimal_digit" => Filter::DecimalDigit,
        "german_normalization" => Filter::GermanNormalization,
        "trim" => Filter::Trim,
        "reverse" => Filter::Reverse,
        "apostrophe" => Filter::Apostrophe,
        "unique" => match is_set(members, "only_on_same_position")? {
            true => Filter::Words(WordFilter::Distinct),
            false => Filter::Unique,
        },
        "porter_stem" => Filter::Stem(stem("porter")?),
        "stop" => {
            let usual = Value::from("_english_");
            let words = stop_words(members.take("stopwords").unwrap_or(&usual))?;
            Filter::Stop(WordList::new(words, is_set(members, "ignore_case")?))
        }
        "keep" => {
            let words = words(members.take("keep_words"));
            Filter::Keep(WordList::new(words, is_set(members, "keep_words_case")?))
        }
        "length" => Filter::Length {
            least: members.count("min")?.unwrap_or(0),
            most: members.count("max")?.unwrap_or(usize::MAX),
        },
        "truncate" => Filter::Truncate(members.count("length")?.unwrap_or(10)),
        "limit" => Filter::Limit(members.count("max_token_count")?.unwrap_or(1)),
        "elision" => Filter::Elision(articles(members)?),
        "stemmer" | "snowball" => stemmer(kind, members)?,
        "pattern_replace" => {
            let pattern = patterns::taken(members, "")?;
            let by = members.text("replacement")?.unwrap_or_default();
            let replacement = Replacement::new(pattern, &by);
            Filter::Replace(match members.flag("all")?.unwrap_or(true) {
                true => replacement,
                false => replacement.once(),
            })
        }
        "ngram" | "nGram" | "edge_ngram" | "edgeNGram" => grams(kind, members)?,
        "shingle" => Filter::Shingle(shingles(members)?),
        "synonym" | "synonym_graph" => Filter::Synonyms(synonyms(kind, members, before)?),
        "word_delimiter" | "word_delimiter_graph" => Filter::WordParts(word_parts(kind, members)?),
        "fingerprint" => Filter::Fingerprint {
            separator: members.text("separator")?.unwrap_or_else(|| " ".to_owned()),
            most: members.count("max_output_size")?.unwrap_or(255),
        },
        other => {
            let unknown = || SearchError::illegal(format!("failed to find global filter under [{other}]"));
            Filter::Words(word_filter(other, members)?.ok_or_else(unknown)?)
        }
    })
}

fn grams(kind: &str, members: &mut Members<'_>) -> Result<Filter> {
    let (least, most) = lengths(members, 1, 2)?;
    Ok(Filter::Ngram {
        least,
        most,
        edge: kind.starts_with("edge"),
        keeps: is_set(members, "preserve_original")?,
    })
}

/// Whether a flag is set that is not by default.
fn is_set(members: &mut Members<'_>, name: &str) -> Result<bool> {
    Ok(members.flag(name)?.unwrap_or(false))
}

/// The articles that are taken off words; those of French where none are given.
fn articles(members: &mut Members<'_>) -> Result<WordList> {
    let ignores_case = is_set(members, "articles_case")?;
    let french = || {
        let articles = [
            "l", "m", "t", "qu", "n", "s", "j", "d", "c", "jusqu", "quoiqu", "lorsqu", "puisqu",
        ];
        WordList::new(articles.map(str::to_owned), true)
    };
    let given = members.take("articles");
    Ok(given.map_or_else(french, |given| WordList::new(words(Some(given)), ignores_case)))
}

fn shingles(members: &mut Members<'_>) -> Result<Shingles> {
    Ok(Shingles {
        least: members.count("min_shingle_size")?.unwrap_or(2).max(2),
        most: members.count("max_shingle_size")?.unwrap_or(2).clamp(2, 10),
        keeps_words: members.flag("output_unigrams")?.unwrap_or(true),
        keeps_few: is_set(members, "output_unigrams_if_no_shingles")?,
        separator: members.text("token_separator")?.unwrap_or_else(|| " ".to_owned()),
        filler: members.text("filler_token")?.unwrap_or_else(|| "_".to_owned()),
    })
}

fn stemmer(kind: &str, members: &mut Members<'_>) -> Result<Filter> {
    let language = members.text("language")?.or(members.text("name")?);
    let language = language.unwrap_or_else(|| "porter".to_owned());
    Ok(match language.as_str() {
        "possessive_english" => Filter::Possessive,
        // Snowball's own English is the second version.
        "English" if kind == "snowball" => Filter::Stem(stem("porter2")?),
        language => Filter::Stem(stem(language)?),
    })
}

fn synonyms(kind: &str, members: &mut Members<'_>, before: &Analyzer) -> Result<Synonyms> {
    let lenient = members.flag("lenient")?.unwrap_or(false);
    let expands = members.take("expand").and_then(as_bool).unwrap_or(true);
    if members.text("format")?.is_some_and(|format| format != "solr") {
        return Err(SearchError::unsupported("[format] of synonyms but [solr]"));
    }
    let rules = members.take("synonyms").map(one_or_many).unwrap_or_default();
    let rules: Vec<String> = rules.into_iter().filter_map(scalar).collect();
    let is_graph = kind == "synonym_graph";
    Synonyms::parse(&rules, expands, lenient, is_graph, before)
}

fn word_parts(kind: &str, members: &mut Members<'_>) -> Result<WordParts> {
    let mut flag = |name: &str, default: bool| -> Result<bool> { Ok(members.flag(name)?.unwrap_or(default)) };
    Ok(WordParts {
        words: flag("generate_word_parts", true)?,
        numbers: flag("generate_number_parts", true)?,
        catenate_words: flag("catenate_words", false)?,
        catenate_numbers: flag("catenate_numbers", false)?,
        catenate_all: flag("catenate_all", false)?,
        keeps_original: flag("preserve_original", false)?,
        splits_case: flag("split_on_case_change", true)?,
        splits_numerics: flag("split_on_numerics", true)?,
        stems_possessive: flag("stem_english_possessive", true)?,
        adjusts_offsets: flag("adjust_offsets", true)?,
        protected: words(members.take("protected_words")).into_iter().collect(),
        types: Types::parse(&words(members.take("type_table")))?,
        is_graph: kind == "word_delimiter_graph",
    })
}

/// The characters of a term of the standard tokenizer at most.
fn longest(members: &mut Members<'_>) -> Result<Option<usize>> {
    match members.count("max_token_length")? {
        Some(0) => Err(SearchError::illegal("[max_token_length] must be at least 1")),
        longest => Ok(longest),
    }
}

fn lengths(members: &mut Members<'_>, least: usize, most: usize) -> Result<(usize, usize)> {
    let least = members.count("min_gram")?.unwrap_or(least);
    let most = members.count("max_gram")?.unwrap_or(most.max(least));
    if least < 1 || most < least {
        return Err(SearchError::illegal(
            "[min_gram] must be at least 1 and at most [max_gram]",
        ));
    }
    Ok((least, most))
}

fn char_class(name: &str) -> Result<CharClass> {
    Ok(match name {
        "letter" => CharClass::Letter,
        "digit" => CharClass::Digit,
        "whitespace" => CharClass::Whitespace,
        "punctuation" => CharClass::Punctuation,
        "symbol" => CharClass::Symbol,
        other => return Err(SearchError::illegal(format!("Unknown token type: '{other}'"))),
    })
}

fn stop_words(value: &Value) -> Result<Vec<String>> {
    match value {
        Value::String(named) if named.starts_with('_') => stops::of(named)
            .ok_or_else(|| SearchError::unsupported(format!("the list of stop words [{named}]"))),
        other => Ok(words(Some(other))),
    }
}

fn stem(language: &str) -> Result<Stem> {
    Stem::of(language).ok_or_else(|| SearchError::illegal(format!("Unknown stemmer type: {language}")))
}
