//! Analyzers by CouchDB's names, as the mapping of an index has them.

use crate::error::{Error, Result};
use mapping::analysis::Analysis;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// The languages with stop words and a stemmer here.
const LANGUAGES: &str = "arabic danish dutch english finnish french german hungarian italian norwegian portuguese romanian russian spanish swedish turkish";

/// Addresses of mail and of pages as a whole, and words.
const EMAIL_WORDS: &str =
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[a-zA-Z]+://[^\s<>]+|[\p{L}\p{N}]+(?:['._][\p{L}\p{N}]+)*";

/// Which analyzer a field has.
#[derive(Clone, Debug, Default)]
pub struct Analyzers {
    default: Json,
    fields: BTreeMap<String, Json>,
}

impl Analyzers {
    /// Those of an index of `nouveau`.
    pub fn of_nouveau(index: &Map<String, Json>) -> Analyzers {
        let fields = index.get("field_analyzers").and_then(Json::as_object);
        let default = index.get("default_analyzer").cloned();
        Analyzers {
            default: default.unwrap_or_else(|| "standard".into()),
            fields: fields.into_iter().flatten().map(owned).collect(),
        }
    }

    /// Those of an index of `indexes`, whose `analyzer` may say which each field has (`perfield`).
    pub fn of_search(index: &Map<String, Json>) -> Analyzers {
        Analyzers::said(index, older)
    }

    /// Those of an index of `nouveau` that Mango made, which says them as one of `indexes` does.
    pub fn of_mango_nouveau(index: &Map<String, Json>) -> Analyzers {
        Analyzers::said(index, Json::clone)
    }

    fn said(index: &Map<String, Json>, meant: fn(&Json) -> Json) -> Analyzers {
        let analyzer = index
            .get("analyzer")
            .cloned()
            .unwrap_or_else(|| "standard".into());
        let is_for_fields = analyzer.get("name").and_then(Json::as_str) == Some("perfield");
        if !is_for_fields {
            return Analyzers {
                default: meant(&analyzer),
                fields: BTreeMap::new(),
            };
        }
        let default = analyzer
            .get("default")
            .cloned()
            .unwrap_or_else(|| "standard".into());
        let fields = analyzer.get("fields").and_then(Json::as_object);
        let fields = fields.into_iter().flatten().map(owned);
        Analyzers {
            default: meant(&default),
            fields: fields.map(|(name, analyzer)| (name, meant(&analyzer))).collect(),
        }
    }

    /// The name, within [`Analyzers::analysis`], of a field's analyzer.
    pub fn of_field(&self, name: &str) -> String {
        self.fields.get(name).unwrap_or(&self.default).to_string()
    }

    /// All of them; refuses those that are not known here.
    pub fn analysis(&self) -> Result<Analysis> {
        let all = self.fields.values().chain([&self.default]);
        let defined = all.map(|analyzer| Ok((analyzer.to_string(), definition(analyzer)?)));
        let defined: Map<String, Json> = defined.collect::<Result<_>>()?;
        Ok(Analysis::parse(&json!({ "analyzer": defined }))?)
    }
}

fn owned((name, analyzer): (&String, &Json)) -> (String, Json) {
    (name.clone(), analyzer.clone())
}

/// The analyzer of that name in Clouseau's Lucene, whose standard one leaves words out.
fn older(analyzer: &Json) -> Json {
    let named = analyzer.get("name").unwrap_or(analyzer).as_str();
    match (named, analyzer.get("stopwords")) {
        (Some("standard"), None) => json!({"name": "standard", "stopwords": "_english_"}),
        _ => analyzer.clone(),
    }
}

/// The terms of a text.
pub fn terms(analyzer: &Json, text: &str) -> Result<Vec<String>> {
    let name = analyzer.to_string();
    let defined = json!({"analyzer": {name.clone(): definition(analyzer)?}});
    let analysis = Analysis::parse(&defined)?;
    let analyzer = analysis.analyzer(&name).ok_or_else(|| unknown(&name))?;
    Ok(analyzer
        .tokens(text)
        .into_iter()
        .map(|token| token.text)
        .collect())
}

/// The same as Clouseau cuts it.
pub fn older_terms(analyzer: &Json, text: &str) -> Result<Vec<String>> {
    terms(&older(analyzer), text)
}

/// An analyzer as the settings of a mapping define it: a name, or an object with a name and its own stop words.
fn definition(analyzer: &Json) -> Result<Json> {
    let name = analyzer.get("name").unwrap_or(analyzer).as_str();
    let name = name.ok_or_else(|| Error::bad_request("an analyzer is a name, or an object with a `name`"))?;
    let mut defined = match name {
        "keyword" | "simple" | "whitespace" | "standard" | "stop" | "english" => json!({"type": name}),
        "classic" => json!({"type": "standard", "stopwords": "_english_"}),
        "email" => json!({
            "type": "custom",
            "tokenizer": {"type": "pattern", "pattern": EMAIL_WORDS, "group": 0},
            "filter": ["lowercase", {"type": "stop", "stopwords": "_english_"}],
        }),
        "simple_asciifolding" => {
            json!({"type": "custom", "tokenizer": "lowercase", "filter": ["asciifolding"]})
        }
        language if LANGUAGES.split(' ').any(|known| known == language) => json!({
            "type": "custom",
            "tokenizer": "standard",
            "filter": [
                "lowercase",
                {"type": "stop", "stopwords": format!("_{language}_")},
                {"type": "stemmer", "language": language},
            ],
        }),
        other => return Err(unknown(other)),
    };
    if let Some(words) = analyzer.get("stopwords") {
        defined["stopwords"] = words.clone();
    }
    Ok(defined)
}

fn unknown(name: &str) -> Error {
    Error::bad_request(format!("`{name}` is not a known analyzer here"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_stop_words_and_a_stemmer() {
        for language in LANGUAGES.split(' ') {
            assert!(terms(&language.into(), "word").is_ok(), "{language}");
        }
    }

    #[test]
    fn texts_are_cut_as_the_analyzer_says() {
        let cases = [
            (json!("standard"), "The Quick-Fox", vec!["the", "quick", "fox"]),
            (
                json!({"name": "standard", "stopwords": ["quick"]}),
                "The Quick",
                vec!["the"],
            ),
            (json!("keyword"), "The Quick", vec!["The Quick"]),
            (json!("simple_asciifolding"), "Caf\u{e9} 9", vec!["cafe"]),
            (
                json!("email"),
                "To Joe@Example.org, the post",
                vec!["joe@example.org", "post"],
            ),
            (json!("classic"), "the Fox", vec!["fox"]),
            (json!("english"), "The runners", vec!["runner"]),
            (json!("german"), "die H\u{e4}user", vec!["haus"]),
        ];
        for (analyzer, text, wanted) in cases {
            assert_eq!(terms(&analyzer, text).expect("known"), wanted, "{analyzer}");
        }
        assert_eq!(
            older_terms(&json!("standard"), "the fox").expect("known"),
            ["fox"]
        );
        assert!(terms(&json!("klingon"), "x").is_err());
    }
}
