//! Analyzers by name: those that are always there, and those of a collection's settings.

use super::built_in::built_in;
use super::filters::Filter;
use super::stems::Stem;
use super::synonyms::Synonyms;
use super::tokenizers::{CharClass, Tokenizer};
use super::word_parts::WordParts;
use super::{Analyzer, CharFilter, stops};
use crate::error::{Result, SearchError};
use crate::json::{Members, as_bool, one_or_many, scalar};
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

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
            analyzer.filters.push(filter);
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
        let tokenizer = match tokenizer {
            None => Tokenizer::Keyword,
            Some(tokenizer) => self.tokenizer(tokenizer)?,
        };
        let char_filters = char_filters
            .iter()
            .map(|filter| self.char_filter(filter))
            .collect::<Result<_>>()?;
        let mut analyzer = Analyzer {
            char_filters,
            ..Analyzer::new(tokenizer, Vec::new())
        };
        for filter in filters {
            let filter = self.filter(filter, &analyzer)?;
            analyzer.filters.push(filter);
        }
        Ok(analyzer)
    }

    fn defined(&self, name: &str, definition: &Value, is_normalizer: bool) -> Result<Analyzer> {
        let mut members = Members::of(name, definition)?;
        let kind = members.text("type")?.unwrap_or_else(|| "custom".to_owned());
        let mut analyzer = match kind.as_str() {
            "custom" => {
                let list = |value: Option<&'_ Value>| {
                    value
                        .map(one_or_many)
                        .unwrap_or_default()
                        .into_iter()
                        .cloned()
                        .collect::<Vec<_>>()
                };
                let tokenizer = members.take("tokenizer");
                if tokenizer.is_none() && !is_normalizer {
                    return Err(SearchError::illegal(format!(
                        "analyzer [{name}] must specify either an analyzer type, or a tokenizer"
                    )));
                }
                let (filters, char_filters) =
                    (list(members.take("filter")), list(members.take("char_filter")));
                self.of_parts(
                    tokenizer,
                    &filters.iter().collect::<Vec<_>>(),
                    &char_filters.iter().collect::<Vec<_>>(),
                )?
            }
            "pattern" => {
                let pattern = members.text("pattern")?.unwrap_or_else(|| r"\W+".to_owned());
                let mut filters = Vec::new();
                if members.flag("lowercase")?.unwrap_or(true) {
                    filters.push(Filter::Lowercase);
                }
                Analyzer::new(
                    Tokenizer::Pattern {
                        pattern: regex(&pattern)?,
                        group: None,
                    },
                    filters,
                )
            }
            other => built_in(other).ok_or_else(|| {
                SearchError::illegal(format!("Unknown analyzer type [{other}] for [{name}]"))
            })?,
        };
        if let Some(words) = members.take("stopwords") {
            let words = stop_words(words)?;
            let at = analyzer
                .filters
                .iter()
                .position(|filter| matches!(filter, Filter::Stop(_)));
            match at {
                Some(at) => analyzer.filters[at] = Filter::Stop(words),
                None => analyzer.filters.push(Filter::Stop(words)),
            }
        }
        if let Some(longest) = members.integer("max_token_length")? {
            analyzer.tokenizer = Tokenizer::Standard {
                longest: longest.max(1) as usize,
            };
        }
        if let Some(gap) = members.integer("position_increment_gap")? {
            analyzer.gap = gap.max(0) as u32;
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
            "standard" => {
                let longest = members.integer("max_token_length")?.unwrap_or(255);
                Tokenizer::Standard {
                    longest: longest.max(1) as usize,
                }
            }
            "keyword" => Tokenizer::Keyword,
            "whitespace" => Tokenizer::Whitespace,
            "letter" => Tokenizer::Letter { lowercase: false },
            "lowercase" => Tokenizer::Letter { lowercase: true },
            "pattern" => {
                let pattern = members.text("pattern")?.unwrap_or_else(|| r"\W+".to_owned());
                let group = members
                    .integer("group")?
                    .and_then(|group| usize::try_from(group).ok());
                Tokenizer::Pattern {
                    pattern: regex(&pattern)?,
                    group,
                }
            }
            "ngram" | "nGram" | "edge_ngram" | "edgeNGram" => {
                let (least, most) = lengths(&mut members, 1, 2)?;
                let classes = members.take("token_chars").map(one_or_many).unwrap_or_default();
                let classes = classes.into_iter().map(char_class).collect::<Result<_>>()?;
                Tokenizer::Ngram {
                    least,
                    most,
                    edge: kind.starts_with("edge"),
                    classes,
                }
            }
            "path_hierarchy" => {
                let first = |text: Option<String>| text.and_then(|text| text.chars().next());
                let delimiter = first(members.text("delimiter")?).unwrap_or('/');
                Tokenizer::Path {
                    delimiter,
                    replacement: first(members.text("replacement")?).unwrap_or(delimiter),
                    reverse: members.flag("reverse")?.unwrap_or(false),
                    skip: members.integer("skip")?.unwrap_or(0).max(0) as usize,
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
                let pattern = members.text("pattern")?.unwrap_or_default();
                CharFilter::Replace(regex(&pattern)?, members.text("replacement")?.unwrap_or_default())
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
                let mut pairs: Vec<_> = rules.into_iter().map(rule).collect::<Result<_>>()?;
                pairs.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
                CharFilter::Mapping(pairs)
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

fn token_filter(kind: &str, members: &mut Members<'_>, before: &Analyzer) -> Result<Filter> {
    Ok(match kind {
        "lowercase" => Filter::Lowercase,
        "uppercase" => Filter::Uppercase,
        "asciifolding" => Filter::AsciiFolding,
        "trim" => Filter::Trim,
        "reverse" => Filter::Reverse,
        "apostrophe" => Filter::Apostrophe,
        "unique" => Filter::Unique,
        "porter_stem" => Filter::Stem(stem("porter")?),
        "stop" => Filter::Stop(match members.take("stopwords") {
            Some(words) => stop_words(words)?,
            None => stop_words(&Value::from("_english_"))?,
        }),
        "keep" => Filter::Keep(words(members.take("keep_words"))),
        "length" => Filter::Length {
            least: members.integer("min")?.unwrap_or(0).max(0) as usize,
            most: members
                .integer("max")?
                .map_or(usize::MAX, |most| most.max(0) as usize),
        },
        "truncate" => Filter::Truncate(members.integer("length")?.unwrap_or(10).max(0) as usize),
        "limit" => Filter::Limit(members.integer("max_token_count")?.unwrap_or(1).max(0) as usize),
        "elision" => Filter::Elision(match members.take("articles") {
            Some(articles) => words(Some(articles)),
            None => ["l", "m", "t", "qu", "n", "s", "j", "d", "c"]
                .map(str::to_owned)
                .into(),
        }),
        "stemmer" | "snowball" => {
            let language = members.text("language")?.or(members.text("name")?);
            let language = language.unwrap_or_else(|| "porter".to_owned());
            match language.as_str() {
                "possessive_english" => Filter::Possessive,
                // Snowball's own English is the second version.
                "English" if kind == "snowball" => Filter::Stem(stem("porter2")?),
                language => Filter::Stem(stem(language)?),
            }
        }
        "pattern_replace" => {
            let pattern = members.text("pattern")?.unwrap_or_default();
            Filter::Replace(regex(&pattern)?, members.text("replacement")?.unwrap_or_default())
        }
        "ngram" | "nGram" | "edge_ngram" | "edgeNGram" => {
            let (least, most) = lengths(members, 1, 2)?;
            let keeps = members.flag("preserve_original")?.unwrap_or(false);
            Filter::Ngram {
                least,
                most,
                edge: kind.starts_with("edge"),
                keeps,
            }
        }
        "shingle" => Filter::Shingle {
            least: members.integer("min_shingle_size")?.unwrap_or(2).max(2) as usize,
            most: members.integer("max_shingle_size")?.unwrap_or(2).clamp(2, 10) as usize,
            unigrams: members.flag("output_unigrams")?.unwrap_or(true),
            separator: members.text("token_separator")?.unwrap_or_else(|| " ".to_owned()),
        },
        "synonym" | "synonym_graph" => {
            let lenient = members.flag("lenient")?.unwrap_or(false);
            let expands = members.take("expand").and_then(as_bool).unwrap_or(true);
            if members.text("format")?.is_some_and(|format| format != "solr") {
                return Err(SearchError::unsupported("[format] of synonyms but [solr]"));
            }
            let rules = members.take("synonyms").map(one_or_many).unwrap_or_default();
            let rules: Vec<String> = rules.into_iter().filter_map(scalar).collect();
            let is_graph = kind == "synonym_graph";
            Filter::Synonyms(Synonyms::parse(&rules, expands, lenient, is_graph, before)?)
        }
        "word_delimiter" | "word_delimiter_graph" => Filter::WordParts(word_parts(kind, members)?),
        "fingerprint" => Filter::Fingerprint {
            separator: members.text("separator")?.unwrap_or_else(|| " ".to_owned()),
            most: members.integer("max_output_size")?.unwrap_or(255).max(0) as usize,
        },
        other => {
            return Err(SearchError::illegal(format!(
                "failed to find global filter under [{other}]"
            )));
        }
    })
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
        protected: words(members.take("protected_words")),
        is_graph: kind == "word_delimiter_graph",
    })
}

fn lengths(members: &mut Members<'_>, least: i64, most: i64) -> Result<(usize, usize)> {
    let least = members.integer("min_gram")?.unwrap_or(least);
    let most = members.integer("max_gram")?.unwrap_or(most.max(least));
    if least < 1 || most < least {
        return Err(SearchError::illegal(
            "[min_gram] must be at least 1 and at most [max_gram]",
        ));
    }
    Ok((least as usize, most as usize))
}

fn char_class(value: &Value) -> Result<CharClass> {
    Ok(match scalar(value).unwrap_or_default().as_str() {
        "letter" => CharClass::Letter,
        "digit" => CharClass::Digit,
        "whitespace" => CharClass::Whitespace,
        "punctuation" => CharClass::Punctuation,
        "symbol" => CharClass::Symbol,
        other => return Err(SearchError::illegal(format!("Unknown token type: '{other}'"))),
    })
}

fn words(value: Option<&Value>) -> HashSet<String> {
    value
        .map(one_or_many)
        .unwrap_or_default()
        .into_iter()
        .filter_map(scalar)
        .collect()
}

fn stop_words(value: &Value) -> Result<HashSet<String>> {
    match value {
        Value::String(named) if named.starts_with('_') => stops::of(named)
            .map(|words| words.into_iter().collect())
            .ok_or_else(|| SearchError::unsupported(format!("the list of stop words [{named}]"))),
        other => Ok(words(Some(other))),
    }
}

fn stem(language: &str) -> Result<Stem> {
    Stem::of(language).ok_or_else(|| SearchError::illegal(format!("Unknown stemmer type: {language}")))
}

fn regex(pattern: &str) -> Result<Regex> {
    regex::RegexBuilder::new(pattern)
        .size_limit(1 << 20)
        .build()
        .map_err(|error| SearchError::illegal(format!("the pattern [{pattern}] cannot be used: {error}")))
}
