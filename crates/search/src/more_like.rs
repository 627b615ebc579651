//! `more_like_this`: the terms that tell documents from others, as a query for them.

use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::{Term, View};
use mapping::json::{Members, one_or_many, scalar};
use mapping::{Field, Mapping};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};
use value::{DocumentBuf, DocumentRef};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct MoreLike {
    fields: Option<Vec<String>>,
    like: Vec<Like>,
    unlike: Vec<Like>,
    /// What cuts texts that it is to be like into words, whatever the fields.
    analyzer: Option<String>,
    terms_max: usize,
    frequency_min: u64,
    documents_min: u64,
    documents_max: u64,
    length_min: usize,
    length_max: usize,
    stop_words: HashSet<String>,
    minimum: String,
    boost_terms: f64,
    includes: bool,
    boost: f32,
    name: Option<String>,
    /// How often each term is in what is liked.
    terms: BTreeMap<(String, String), u64>,
    unliked: HashSet<(String, String)>,
    /// How many documents have each of them.
    documents: BTreeMap<(String, String), u64>,
    seen: u64,
}

/// What something is to be like: a text, or a document.
#[derive(Clone, Debug)]
pub enum Like {
    /// A text.
    Text(String),
    /// A document that is there: its index, where not the one that is searched, its `_id`, and its routing if it has one.
    There(Option<String>, String, Option<String>),
    /// A document that comes with the request.
    Given(Value),
}

impl Like {
    fn parse(value: &Value) -> Result<Like> {
        let Value::Object(object) = value else {
            let text = scalar(value);
            return text.map(Like::Text).ok_or_else(|| {
                SearchError::parsing("content of 'like' parameter should either be a string or an object")
            });
        };
        let mut members = Members::of_object("like", object);
        let index = members.text("_index")?;
        members.text("_type")?;
        let routing = members.text("routing")?;
        let id = members.text("_id")?;
        let given = members.take("doc").cloned();
        members.end()?;
        match (given, id) {
            (Some(given), _) => Ok(Like::Given(given)),
            (None, Some(id)) => Ok(Like::There(index, id, routing)),
            (None, None) => Err(SearchError::parsing("a liked document needs an [_id] or a [doc]")),
        }
    }
}

impl MoreLike {
    /// Reads the query.
    pub fn parse(body: &Value) -> Result<MoreLike> {
        let mut members = Members::of("more_like_this", body)?;
        let count = |number: Option<i64>, default: u64| number.map_or(default, |number| number.max(0) as u64);
        let likes = |value: Option<&Value>| -> Result<Vec<Like>> {
            value
                .map(one_or_many)
                .unwrap_or_default()
                .into_iter()
                .map(Like::parse)
                .collect()
        };
        let boost = members.boost()?;
        let name = members.text("_name")?;
        let like = likes(members.take("like"))?;
        if like.is_empty() {
            return Err(SearchError::illegal(
                "more_like_this requires 'like' to be specified",
            ));
        }
        let fields = members.take("fields").map(|value| {
            one_or_many(value)
                .into_iter()
                .filter_map(scalar)
                .collect::<Vec<_>>()
        });
        if fields.as_ref().is_some_and(Vec::is_empty) {
            return Err(SearchError::illegal(
                "more_like_this requires 'fields' to be non-empty",
            ));
        }
        let stop_words = members.take("stop_words").map(one_or_many).unwrap_or_default();
        members.flag("fail_on_unsupported_field")?;
        let parsed = MoreLike {
            fields,
            like,
            unlike: likes(members.take("unlike"))?,
            analyzer: members.text("analyzer")?,
            terms_max: count(members.integer("max_query_terms")?, 25) as usize,
            frequency_min: count(members.integer("min_term_freq")?, 2),
            documents_min: count(members.integer("min_doc_freq")?, 5),
            documents_max: count(members.integer("max_doc_freq")?, u64::MAX),
            length_min: count(members.integer("min_word_length")?, 0) as usize,
            length_max: match count(members.integer("max_word_length")?, 0) {
                0 => usize::MAX,
                length => length as usize,
            },
            stop_words: stop_words.into_iter().filter_map(scalar).collect(),
            minimum: members
                .take("minimum_should_match")
                .and_then(scalar)
                .unwrap_or_else(|| "30%".to_owned()),
            boost_terms: members.number("boost_terms")?.unwrap_or(0.0),
            includes: members.flag("include")?.unwrap_or(false),
            boost,
            name,
            terms: BTreeMap::new(),
            unliked: HashSet::new(),
            documents: BTreeMap::new(),
            seen: 0,
        };
        members.end()?;
        Ok(parsed)
    }

    /// What it is to be like, and what it is not to be like.
    pub fn wanted(&self) -> (&[Like], &[Like]) {
        (&self.like, &self.unlike)
    }

    /// Whether this name and definition are of this query.
    fn fields_of<'m>(&self, mapping: &'m Mapping) -> Vec<&'m Field> {
        let named = mapping.fields().filter(|(name, field)| {
            field.is_textual()
                && match &self.fields {
                    Some(names) => names.iter().any(|wanted| wanted == name),
                    None => true,
                }
        });
        named.map(|(_, field)| &**field).collect()
    }

    /// Learns a text that it is to be like, or not to be like.
    pub fn learn_text(&mut self, mapping: &Mapping, text: &str, is_liked: bool) -> Result<()> {
        let named = match &self.analyzer {
            None => None,
            Some(name) => Some(mapping.analysis().analyzer(name).ok_or_else(|| {
                let reason = format!("[more_like_this] analyzer [{name}] not found");
                SearchError::new(ErrorKind::QueryShard, reason)
            })?),
        };
        for field in self.fields_of(mapping) {
            let words = match (&named, field.is_keyword()) {
                (None, true) => vec![text.to_owned()],
                (analyzer, _) => {
                    let tokens = analyzer.as_ref().unwrap_or(&field.analyzer).tokens(text);
                    tokens.into_iter().map(|token| token.text).collect()
                }
            };
            self.learn(&field.name.clone(), words, is_liked);
        }
        Ok(())
    }

    /// Learns a document that it is to be like, or not to be like.
    pub fn learn_document(&mut self, mapping: &Mapping, document: &DocumentBuf, is_liked: bool) {
        let view = View::of_document(mapping, document.as_ref());
        for field in self.fields_of(mapping) {
            let words = words(&view, field);
            self.learn(&field.name.clone(), words, is_liked);
        }
    }

    fn learn(&mut self, field: &str, words: Vec<String>, is_liked: bool) {
        for word in words {
            let key = (field.to_owned(), word);
            match is_liked {
                true => *self.terms.entry(key).or_default() += 1,
                false => drop(self.unliked.insert(key)),
            }
        }
    }

    /// Counts a document of the index, by which rare terms are told from frequent ones.
    pub fn count(&mut self, mapping: &Mapping, document: DocumentRef<'_>) {
        self.seen += 1;
        let view = View::of_document(mapping, document);
        for field in self.fields_of(mapping) {
            let there: HashSet<String> = words(&view, field).into_iter().collect();
            for word in there {
                let key = (field.name.clone(), word);
                if self.terms.contains_key(&key) {
                    *self.documents.entry(key).or_default() += 1;
                }
            }
        }
    }

    /// The query, in the language of queries.
    pub fn query(&self) -> Value {
        let weight = |key: &(String, String), frequency: u64| {
            let documents = self.documents.get(key).copied().unwrap_or(0);
            let rarity = 1.0 + ((self.seen as f64 + 1.0) / (documents as f64 + 1.0)).ln();
            frequency as f64 * rarity
        };
        let mut chosen: Vec<(&(String, String), f64)> = self
            .terms
            .iter()
            .filter(|(key, frequency)| {
                let documents = self.documents.get(*key).copied().unwrap_or(0);
                let length = key.1.chars().count();
                **frequency >= self.frequency_min
                    && documents > 0
                    && (self.documents_min..=self.documents_max).contains(&documents)
                    && (self.length_min..=self.length_max).contains(&length)
                    && !self.stop_words.contains(&key.1)
                    && !self.unliked.contains(*key)
            })
            .map(|(key, frequency)| (key, weight(key, *frequency)))
            .collect();
        chosen.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.cmp(b)));
        chosen.truncate(self.terms_max);
        if chosen.is_empty() {
            return json!({"match_none": {}});
        }
        let best = chosen.first().map_or(1.0, |(_, weight)| *weight);
        let should: Vec<Value> = chosen
            .iter()
            .map(|((field, word), weight)| {
                let boost = match self.boost_terms > 0.0 {
                    true => self.boost_terms * weight / best,
                    false => 1.0,
                };
                let term = json!({"value": word, "boost": boost});
                json!({"term": Map::from_iter([(field.clone(), term)])})
            })
            .collect();
        let ids: Vec<&str> = self
            .like
            .iter()
            .filter_map(|like| match like {
                Like::There(_, id, _) => Some(id.as_str()),
                _ => None,
            })
            .collect();
        let mut query = json!({"should": should, "minimum_should_match": self.minimum, "boost": self.boost});
        if !self.includes && !ids.is_empty() {
            query["must_not"] = json!([{"ids": {"values": ids}}]);
        }
        if let Some(name) = &self.name {
            query["_name"] = json!(name);
        }
        json!({"bool": query})
    }
}

fn words(view: &View<'_>, field: &Field) -> Vec<String> {
    let mut words = Vec::new();
    for term in view.terms(field) {
        if let Term::Text(text) = term {
            match field.is_keyword() {
                true => words.push(text),
                false => words.extend(field.analyzer.tokens(&text).into_iter().map(|token| token.text)),
            }
        }
    }
    words
}
