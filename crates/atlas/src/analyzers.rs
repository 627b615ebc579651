//! Analyzers under Atlas's names, as those of the crate `mapping`.

use crate::error::{Result, of_search, refused, unsupported};
use crate::spec::{Spec, one_or_many};
use search::Analysis;
use serde_json::{Map, Value as Json, json};
use value::Value;

/// What stands before the names of Lucene's analyzers.
const LUCENE: &str = "lucene.";

/// The analyzers of an index, as settings.
#[derive(Debug, Default)]
pub(crate) struct Analyzers {
    settings: Map<String, Json>,
    /// Analyzers made of others: the name, that of the other, and what is done with its terms besides.
    derived: Vec<(String, String, Vec<Json>)>,
}

impl Analyzers {
    /// The member `analyzers` of a definition.
    pub(crate) fn parse(given: &[Value]) -> Result<Analyzers> {
        let mut custom = Map::new();
        for (at, analyzer) in given.iter().enumerate() {
            let spec = Spec::of(format!("analyzers[{at}]"), analyzer)?;
            let name = spec.text("name")?.unwrap_or_default();
            if name.is_empty() || name.starts_with(LUCENE) {
                return Err(refused(format!("\"analyzers[{at}].name\" cannot be \"{name}\"")));
            }
            let parts = |name| spec.any(name).map_or(&[][..], one_or_many);
            let tokenizer = Spec::of(spec.path_of("tokenizer"), spec.required("tokenizer")?)?;
            let filters = parts("tokenFilters").iter().map(token_filter);
            let char_filters = parts("charFilters").iter().map(char_filter);
            let made = json!({
                "type": "custom",
                "tokenizer": tokenizer_of(&tokenizer)?,
                "filter": filters.collect::<Result<Vec<_>>>()?,
                "char_filter": char_filters.collect::<Result<Vec<_>>>()?,
            });
            tokenizer.end()?;
            spec.end()?;
            custom.insert(name.to_owned(), made);
        }
        let mut settings = Map::new();
        settings.insert("analyzer".to_owned(), Json::Object(custom));
        let analyzers = Analyzers {
            settings,
            derived: Vec::new(),
        };
        // What is wrong with one of them is said here.
        analyzers.analysis()?;
        Ok(analyzers)
    }

    /// The name by which `mapping` knows an analyzer.
    pub(crate) fn name(analyzer: &str) -> &str {
        analyzer.strip_prefix(LUCENE).unwrap_or(analyzer)
    }

    pub(crate) fn is_known(&self, analyzer: &str) -> bool {
        match analyzer.strip_prefix(LUCENE) {
            Some(built_in) => Analysis::default().analyzer(built_in).is_some(),
            None => self.settings["analyzer"].get(analyzer).is_some(),
        }
    }

    /// All of them.
    pub(crate) fn analysis(&self) -> Result<Analysis> {
        let mut analysis = Analysis::parse(&Json::Object(self.settings.clone())).map_err(of_search)?;
        for (name, base, filters) in &self.derived {
            analysis.derive(name, base, filters).map_err(of_search)?;
        }
        Ok(analysis)
    }

    /// The analyzers for words that are typed in part: of documents, and of what is typed.
    pub(crate) fn completing(
        &mut self,
        base: &str,
        cut: &str,
        (least, most): (i64, i64),
        folds: bool,
    ) -> Result<(String, String)> {
        let mut common = vec![json!({"type": "lowercase"})];
        if folds {
            common.push(json!({"type": "asciifolding"}));
        }
        let grams = |kind: &str| json!({"type": kind, "min_gram": least, "max_gram": most, "preserve_original": false});
        let reverse = json!({"type": "reverse"});
        let cutting = match cut {
            "edgeGram" => vec![grams("edge_ngram")],
            "rightEdgeGram" => vec![reverse.clone(), grams("edge_ngram"), reverse],
            "nGram" => vec![grams("ngram")],
            other => return Err(refused(format!("tokenization \"{other}\" is not known"))),
        };
        let name = |what: &str| format!("{what} {base} {cut} {least} {most} {folds}");
        let (index, query) = (name("index"), name("query"));
        let typed = [common.clone(), vec![json!({"type": "truncate", "length": most})]].concat();
        let base = Analyzers::name(base);
        self.derived
            .push((index.clone(), base.to_owned(), [common, cutting].concat()));
        self.derived.push((query.clone(), base.to_owned(), typed));
        Ok((index, query))
    }
}

fn kind_of<'d>(spec: &Spec<'d>) -> Result<&'d str> {
    let missing = || refused(format!("\"{}\" is required", spec.path_of("type")));
    spec.text("type")?.ok_or_else(missing)
}

fn grams(spec: &Spec<'_>, kind: &str) -> Result<Json> {
    let least = spec.count("minGram", 1, 1_000)?.unwrap_or(1);
    let most = spec.count("maxGram", least, 1_000)?.unwrap_or(least.max(2));
    Ok(json!({"type": kind, "min_gram": least, "max_gram": most}))
}

fn tokenizer_of(spec: &Spec<'_>) -> Result<Json> {
    let longest = |kind: &str| {
        let longest = spec.count("maxTokenLength", 1, 1 << 20)?.unwrap_or(255);
        Ok::<_, engine::Error>(json!({"type": kind, "max_token_length": longest}))
    };
    let pattern = |group: i64| {
        let pattern = spec.text("pattern")?.unwrap_or_default();
        Ok::<_, engine::Error>(json!({"type": "pattern", "pattern": pattern, "group": group}))
    };
    match kind_of(spec)? {
        "standard" => longest("standard"),
        "keyword" => Ok(json!({"type": "keyword"})),
        "whitespace" => {
            spec.count("maxTokenLength", 1, 1 << 20)?;
            Ok(json!({"type": "whitespace"}))
        }
        "nGram" => grams(spec, "ngram"),
        "edgeGram" => grams(spec, "edge_ngram"),
        "regexSplit" => pattern(-1),
        "regexCaptureGroup" => {
            let group = spec.count("group", -1, 100)?.unwrap_or(0);
            pattern(group)
        }
        other => Err(unsupported(format!("the tokenizer \"{other}\""))),
    }
}

fn token_filter(value: &Value) -> Result<Json> {
    let spec = Spec::of("tokenFilters", value)?;
    let filter = match kind_of(&spec)? {
        "lowercase" => json!({"type": "lowercase"}),
        "uppercase" => json!({"type": "uppercase"}),
        "trim" => json!({"type": "trim"}),
        "reverse" => json!({"type": "reverse"}),
        "removeDuplicates" => json!({"type": "unique"}),
        "porterStemming" => json!({"type": "porter_stem"}),
        "englishPossessive" => json!({"type": "stemmer", "language": "possessive_english"}),
        // The letters as they were written are not kept beside those without marks.
        "asciiFolding" | "icuFolding" => match spec.text("originalTokens")? {
            None | Some("omit") => json!({"type": "asciifolding"}),
            Some(_) => return Err(unsupported("\"originalTokens\" other than \"omit\"")),
        },
        "snowballStemming" => json!({"type": "snowball", "language": spec.text("stemmerName")?}),
        "length" => json!({
            "type": "length",
            "min": spec.count("min", 0, 1 << 20)?.unwrap_or(0),
            "max": spec.count("max", 0, 1 << 20)?.unwrap_or(255),
        }),
        "stopword" => {
            let words = strings(&spec, "tokens")?;
            let ignores_case = spec.flag("ignoreCase")?.unwrap_or(true);
            let both = words
                .iter()
                .flat_map(|word| [word.clone(), word.to_lowercase()].into_iter());
            match ignores_case {
                true => json!({"type": "stop", "stopwords": both.collect::<Vec<_>>()}),
                false => json!({"type": "stop", "stopwords": words}),
            }
        }
        "nGram" | "edgeGram" => {
            let kind = match kind_of(&spec)? {
                "nGram" => "ngram",
                _ => "edge_ngram",
            };
            let mut made = grams(&spec, kind)?;
            made["preserve_original"] = json!(spec.text("termNotInBounds")? == Some("include"));
            made
        }
        "shingle" => json!({
            "type": "shingle",
            "min_shingle_size": spec.count("minShingleSize", 2, 10)?.unwrap_or(2),
            "max_shingle_size": spec.count("maxShingleSize", 2, 10)?.unwrap_or(2),
        }),
        "regex" => {
            if spec.text("matches")? != Some("all") {
                return Err(unsupported(
                    "a token filter \"regex\" of other matches than \"all\"",
                ));
            }
            json!({
                "type": "pattern_replace",
                "pattern": spec.text("pattern")?.unwrap_or_default(),
                "replacement": spec.text("replacement")?.unwrap_or_default(),
            })
        }
        other => return Err(unsupported(format!("the token filter \"{other}\""))),
    };
    spec.end()?;
    Ok(filter)
}

fn char_filter(value: &Value) -> Result<Json> {
    let spec = Spec::of("charFilters", value)?;
    let filter = match kind_of(&spec)? {
        "htmlStrip" => {
            if !strings(&spec, "ignoredTags")?.is_empty() {
                return Err(unsupported("\"ignoredTags\""));
            }
            json!({"type": "html_strip"})
        }
        "mapping" => {
            let pairs = spec.document("mappings")?;
            let pairs = pairs.iter().flat_map(Spec::members);
            let rules = pairs.filter_map(|(from, to)| Some(format!("{from}=>{}", to.as_ref().as_str()?)));
            json!({"type": "mapping", "mappings": rules.collect::<Vec<_>>()})
        }
        other => return Err(unsupported(format!("the character filter \"{other}\""))),
    };
    spec.end()?;
    Ok(filter)
}

fn strings(spec: &Spec<'_>, name: &str) -> Result<Vec<String>> {
    let values = spec.any(name).map_or(&[][..], one_or_many);
    let text = |value: &Value| value.as_ref().as_str().map(str::to_owned);
    values
        .iter()
        .map(|value| {
            text(value).ok_or_else(|| refused(format!("\"{}\" must be strings", spec.path_of(name))))
        })
        .collect()
}
