//! `_analyze`: the terms of texts, and how each part of an analyzer makes them.

use auth::Action;
use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use indices::settings::analyzed_tokens_max;
use rest::call::Call;
use rest::respond::{Answer, ok};
use search::{Analysis, Analyzer, Held, Mapping, Token};
use serde_json::{Map, Value, json};

/// What a token takes in an answer, about, besides its text.
const TOKEN_BYTES: usize = 400;

pub(crate) async fn run(call: &mut Call, index: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let named = call.parameters.take("index");
    call.parameters.end()?;
    let asked = Asked::parse(call.required_object()?)?;
    let index = match index.or(named.as_deref()) {
        Some(name) => Some(call.open_index(name, Action::Find)?),
        None => None,
    };
    let settings = index.as_ref().map(indices::Index::given_settings);
    let settings = settings.unwrap_or_default();
    let mapping = match &index {
        Some(index) => Some(index.mapping().await?),
        None => None,
    };
    asked.check(mapping.is_some())?;
    let none = Analysis::default();
    let way = asked.way(
        mapping.as_deref(),
        mapping.as_ref().map_or(&none, |mapping| mapping.analysis()),
        &settings,
    )?;
    let run = Analyzed {
        asked: &asked,
        tokens_max: analyzed_tokens_max(&settings)?,
        held: &call.held,
    };
    let answer = match asked.explains {
        true => json!({"detail": way.detail(&run)?}),
        false => json!({"tokens": run.tokens(way.whole(), None)?}),
    };
    Ok(ok(answer))
}

/// What is asked: texts, and by which analyzer or parts of one.
#[derive(Debug, Default)]
struct Asked {
    texts: Vec<String>,
    explains: bool,
    /// What is told of each token where all is told, in small letters; all of it if it is empty.
    attributes: Vec<String>,
    analyzer: Option<String>,
    normalizer: Option<String>,
    field: Option<String>,
    tokenizer: Option<Value>,
    filters: Vec<Value>,
    char_filters: Vec<Value>,
}

impl Asked {
    fn parse(body: Map<String, Value>) -> Result<Asked> {
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let list = |value: Value| match value {
            Value::Array(list) => list,
            one => vec![one],
        };
        let mut asked = Asked::default();
        for (name, value) in body {
            match name.as_str() {
                "text" => asked.texts = list(value).into_iter().map(text).collect(),
                "explain" => asked.explains = value == true || value == "true",
                "attributes" => {
                    let names = list(value).into_iter().map(|name| text(name).to_lowercase());
                    asked.attributes = names.collect();
                }
                "analyzer" => asked.analyzer = Some(text(value)),
                "normalizer" => asked.normalizer = Some(text(value)),
                "field" => asked.field = Some(text(value)),
                "tokenizer" => asked.tokenizer = Some(value),
                "filter" => asked.filters = list(value),
                "char_filter" => asked.char_filters = list(value),
                other => {
                    return Err(ElasticError::parsing(format!(
                        "[_analyze] unknown field [{other}]"
                    )));
                }
            }
        }
        Ok(asked)
    }

    /// Whether parts of an analyzer are given.
    fn has_parts(&self) -> bool {
        self.tokenizer.is_some() || !self.filters.is_empty() || !self.char_filters.is_empty()
    }

    fn check(&self, has_index: bool) -> Result<()> {
        let mut wrong = Vec::new();
        if self.texts.is_empty() {
            wrong.push("text is missing".to_owned());
        }
        if self.normalizer.is_some() && !has_index {
            wrong.push("index is required if normalizer is specified".to_owned());
        }
        if self.normalizer.is_some() && (self.tokenizer.is_some() || self.analyzer.is_some()) {
            wrong.push("tokenizer/analyze should be null if normalizer is specified".to_owned());
        }
        for (given, called) in [
            (&self.analyzer, "named analyzer"),
            (&self.normalizer, "named normalizer"),
            (&self.field, "field-specific analyzer"),
        ] {
            if given.is_some() && self.has_parts() {
                wrong.push(format!("cannot define extra components on a {called}"));
            }
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(ElasticError::validation(&wrong)),
        }
    }

    /// How the texts become tokens. An index has analyzers of its own, defined in its settings.
    fn way(
        &self,
        mapping: Option<&Mapping>,
        analysis: &Analysis,
        settings: &Map<String, Value>,
    ) -> Result<Way> {
        if self.has_parts() {
            let tokenizer = self.tokenizer.as_ref();
            let (filters, char_filters): (Vec<_>, Vec<_>) =
                (self.filters.iter().collect(), self.char_filters.iter().collect());
            return match self.explains {
                true => Way::of_parts(analysis, tokenizer, &filters, &char_filters),
                false => {
                    let whole = analysis.of_parts(tokenizer, &filters, &char_filters)?;
                    Ok(Way::Whole(String::new(), whole))
                }
            };
        }
        // Only where its parts are shown they are looked for.
        let settings = Some(settings).filter(|_| self.explains);
        if let Some(name) = &self.analyzer {
            let missing = match mapping {
                None => format!("failed to find global analyzer [{name}]"),
                Some(_) => format!("failed to find analyzer [{name}]"),
            };
            let analyzer = analysis.analyzer(name);
            let analyzer = analyzer.ok_or_else(|| ElasticError::illegal(missing))?;
            return Way::named(analysis, settings, name, analyzer);
        }
        if let Some(name) = &self.normalizer {
            let missing = || ElasticError::illegal(format!("failed to find normalizer under [{name}]"));
            let normalizer = analysis.normalizer(name).ok_or_else(missing)?;
            return Ok(Way::Whole(name.clone(), normalizer));
        }
        if let Some(field) = &self.field {
            let mapping = mapping.ok_or_else(|| {
                ElasticError::illegal("analysis based on a specific field requires an index")
            })?;
            if let Some((name, analyzer)) = of_field(mapping, field)? {
                return Way::named(analysis, settings, &name, analyzer);
            }
        }
        // Without an index, what is called the default one is no other.
        let own = mapping.and_then(|_| analysis.analyzer("default"));
        let own = own.map(|analyzer| ("default", analyzer));
        let usual = || {
            analysis
                .analyzer("standard")
                .map(|analyzer| ("standard", analyzer))
        };
        let missing = || ElasticError::illegal("failed to find global analyzer [standard]");
        let (name, analyzer) = own.or_else(usual).ok_or_else(missing)?;
        Way::named(analysis, settings, name, analyzer)
    }
}

/// The analyzer of a field's texts, with its name; `None` if there is no such field.
fn of_field(mapping: &Mapping, field: &str) -> Result<Option<(String, Analyzer)>> {
    let Some(analyzer) = mapping.analyzer_of(field) else {
        return Ok(None);
    };
    let mut all = mapping.definitions().into_iter();
    let definition = all.find_map(|(path, definition)| (path == field).then_some(definition));
    let said = |name: &str| definition.as_ref()?.get(name)?.as_str().map(str::to_owned);
    let has_texts = matches!(
        said("type").as_deref(),
        None | Some(
            "text"
                | "keyword"
                | "search_as_you_type"
                | "match_only_text"
                | "completion"
                | "constant_keyword"
                | "wildcard"
                | "flattened"
                | "alias"
        )
    );
    if !has_texts {
        return Err(ElasticError::illegal(format!(
            "Can't process field [{field}], Analysis requests are only supported on tokenized fields"
        )));
    }
    let name = said("normalizer").or_else(|| said("analyzer"));
    Ok(Some((name.unwrap_or_else(|| "default".to_owned()), analyzer)))
}

/// An analyzer, whole or by its parts; what is behind a part is what all parts up to it make.
enum Way {
    Whole(String, Analyzer),
    Parts {
        char_filters: Vec<(String, Analyzer)>,
        tokenizer: (String, Analyzer),
        filters: Vec<(String, Analyzer)>,
    },
}

impl Way {
    /// An analyzer by its name: by its parts, where the settings of an index define it of some.
    fn named(
        analysis: &Analysis,
        settings: Option<&Map<String, Value>>,
        name: &str,
        analyzer: Analyzer,
    ) -> Result<Way> {
        let own = settings.and_then(|all| all.get("analysis")?.get("analyzer")?.get(name)?.as_object());
        let Some(own) = own.filter(|own| own.get("type").is_none_or(|kind| kind == "custom")) else {
            return Ok(Way::Whole(name.to_owned(), analyzer));
        };
        let list = |name: &str| -> Vec<&Value> {
            match own.get(name) {
                None => Vec::new(),
                Some(Value::Array(list)) => list.iter().collect(),
                Some(one) => vec![one],
            }
        };
        Way::of_parts(
            analysis,
            own.get("tokenizer"),
            &list("filter"),
            &list("char_filter"),
        )
    }

    fn of_parts(
        analysis: &Analysis,
        tokenizer: Option<&Value>,
        filters: &[&Value],
        char_filters: &[&Value],
    ) -> Result<Way> {
        let up_to = |at: usize| analysis.of_parts(tokenizer, &filters[..at], char_filters);
        let mut filtered = Vec::with_capacity(filters.len());
        for (at, filter) in filters.iter().enumerate() {
            filtered.push((called(filter), up_to(at + 1)?));
        }
        let mut cleaned = Vec::with_capacity(char_filters.len());
        for (at, filter) in char_filters.iter().enumerate() {
            let cleaner = analysis.of_parts(None, &[], &char_filters[..=at])?;
            cleaned.push((called(filter), cleaner));
        }
        Ok(Way::Parts {
            char_filters: cleaned,
            tokenizer: (tokenizer.map_or("keyword".to_owned(), called), up_to(0)?),
            filters: filtered,
        })
    }

    /// The analyzer with all of its parts.
    fn whole(&self) -> &Analyzer {
        match self {
            Way::Whole(_, analyzer) => analyzer,
            Way::Parts {
                tokenizer, filters, ..
            } => &filters.last().unwrap_or(tokenizer).1,
        }
    }

    /// What each part makes of the texts.
    fn detail(&self, run: &Analyzed) -> Result<Value> {
        let listed = |(name, analyzer): &(String, Analyzer), is_filter: bool| {
            let tokens = run.tokens(analyzer, Some(is_filter))?;
            Ok::<_, ElasticError>(json!({"name": name, "tokens": tokens}))
        };
        match self {
            Way::Whole(name, analyzer) => {
                let tokens = run.tokens(analyzer, Some(true))?;
                Ok(json!({"custom_analyzer": false, "analyzer": {"name": name, "tokens": tokens}}))
            }
            Way::Parts {
                char_filters,
                tokenizer,
                filters,
            } => {
                let mut detail = json!({"custom_analyzer": true});
                if !char_filters.is_empty() {
                    let cleaned = char_filters.iter().map(|(name, cleaner)| {
                        let texts = run.asked.texts.iter();
                        let texts: Vec<String> = texts.map(|text| cleaned(cleaner, text)).collect();
                        json!({"name": name, "filtered_text": texts})
                    });
                    detail["charfilters"] = cleaned.collect();
                }
                detail["tokenizer"] = listed(tokenizer, false)?;
                if !filters.is_empty() {
                    let filtered = filters.iter().map(|filter| listed(filter, true));
                    detail["tokenfilters"] = filtered.collect::<Result<Vec<Value>>>()?.into();
                }
                Ok(detail)
            }
        }
    }
}

/// How a part of an analyzer is called: by its name, or by its type where it is defined in the request.
fn called(part: &Value) -> String {
    match part.get("type").and_then(Value::as_str) {
        Some(kind) => format!("__anonymous__{kind}"),
        None => part.as_str().unwrap_or_default().to_owned(),
    }
}

/// A text without what filters of characters take from it: the one token that is left.
fn cleaned(cleaner: &Analyzer, text: &str) -> String {
    let mut tokens = cleaner.tokens(text).into_iter();
    tokens.next().map(|token| token.text).unwrap_or_default()
}

/// The analysis of the texts of a request.
struct Analyzed<'c> {
    asked: &'c Asked,
    /// How many tokens there may be.
    tokens_max: usize,
    held: &'c Held,
}

impl Analyzed<'_> {
    /// The tokens of all texts, one behind another; with all that is told of them, where it is said whether filters made them.
    fn tokens(&self, analyzer: &Analyzer, filtered: Option<bool>) -> Result<Vec<Value>> {
        let (mut tokens, mut position, mut offset) = (Vec::new(), 0, 0);
        for text in &self.asked.texts {
            let found = analyzer.tokens(text);
            if tokens.len() + found.len() > self.tokens_max {
                return Err(ElasticError::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "illegal_state_exception",
                    format!(
                        "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [{}]. This limit can be set by \
                         changing the [index.analyze.max_token_count] index level setting.",
                        self.tokens_max
                    ),
                ));
            }
            self.held.add(found.len().saturating_mul(TOKEN_BYTES))?;
            let last = found.last().map_or(0, |token| token.position + 1);
            for token in &found {
                let mut shown = shown(token, position, offset);
                if let Some(is_filter) = filtered {
                    self.tell_more(&mut shown, token, is_filter);
                }
                tokens.push(shown);
            }
            position += last + 100;
            offset += text.chars().count() + 1;
        }
        Ok(tokens)
    }

    /// Adds the attributes of a token that are wanted.
    fn tell_more(&self, shown: &mut Value, token: &Token, is_filter: bool) {
        let wanted = &self.asked.attributes;
        let has = |name: &str| wanted.iter().any(|one| one == name);
        let bytes: Vec<String> = token.text.bytes().map(|byte| format!("{byte:x}")).collect();
        for (name, value) in [
            ("bytes", json!(format!("[{}]", bytes.join(" ")))),
            ("positionLength", json!(token.length.max(1))),
            ("termFrequency", json!(1)),
        ] {
            if wanted.is_empty() || has(&name.to_lowercase()) {
                shown[name] = value;
            }
        }
        if is_filter && has("keyword") {
            shown["keyword"] = json!(token.is_keyword);
        }
    }
}

fn shown(token: &Token, position: u32, offset: usize) -> Value {
    let mut shown = json!({
        "token": token.text,
        "start_offset": token.start + offset,
        "end_offset": token.end + offset,
        "type": token.kind,
        "position": token.position + position,
    });
    if token.length > 1 {
        shown["positionLength"] = json!(token.length);
    }
    shown
}
