//! What a client says an index is: which fields it has, of which types, and how texts are cut.

use crate::analyzers::Analyzers;
use crate::error::{Result, of_search, refused, unsupported};
use crate::fields::{self, FIELDS_MAX, of_kind};
use crate::spec::{Spec, one_or_many};
use search::{Mapping, Placed, ValueKind};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use value::{Document, Value};

/// Objects within objects at most.
const DEPTH_MAX: usize = 20;
/// The shortest and the longest beginnings of words that are kept to complete what is typed.
const GRAMS: (i64, i64) = (2, 15);
/// The characters of a token at most.
const TOKEN_CHARS_MAX: i64 = 8_181;

/// A definition that was read.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) root: ObjectRule,
    /// The analyzer of texts whose fields name none, and that of their searches.
    analyzer: String,
    search_analyzer: String,
    /// The fields that are there without any document.
    mapping: Mapping,
}

/// Which fields of an object are read.
#[derive(Debug)]
pub(crate) struct ObjectRule {
    /// Whether those are read that are not named.
    pub(crate) is_dynamic: bool,
    /// Those that are named.
    pub(crate) fields: BTreeMap<String, FieldRule>,
}

impl ObjectRule {
    /// All of them.
    pub(crate) const DYNAMIC: ObjectRule = ObjectRule {
        is_dynamic: true,
        fields: BTreeMap::new(),
    };
}

/// Which fields of the objects at a named place are read.
#[derive(Debug, Default)]
pub(crate) struct FieldRule {
    /// Where they are part of the document.
    pub(crate) document: Option<ObjectRule>,
    /// Where each is searched by itself.
    pub(crate) embedded: Option<ObjectRule>,
}

impl Definition {
    pub(crate) fn parse(definition: &Document) -> Result<Definition> {
        let spec = Spec::new("", definition);
        let analyzers = spec.any("analyzers").map_or(&[][..], one_or_many);
        let mut reader = Reader {
            analyzers: Analyzers::parse(analyzers)?,
            placed: Vec::new(),
            analyzer: spec.text("analyzer")?.unwrap_or("lucene.standard").to_owned(),
            search_analyzer: String::new(),
        };
        let search_analyzer = spec
            .text("searchAnalyzer")?
            .unwrap_or(&reader.analyzer)
            .to_owned();
        reader.search_analyzer = search_analyzer;
        reader.known(&reader.analyzer)?;
        reader.known(&reader.search_analyzer)?;
        match spec.any("storedSource") {
            None | Some(Value::Bool(false)) => {}
            Some(_) => return Err(unsupported("\"storedSource\"")),
        }
        match spec.any("synonyms").map(one_or_many) {
            None | Some([]) => {}
            Some(_) => return Err(unsupported("\"synonyms\"")),
        }
        // How an index is spread over others: there is one of each here.
        spec.count("numPartitions", 1, 4)?;
        let mappings = Spec::of("mappings", spec.required("mappings")?)?;
        let root = reader.object(&mappings, Place::default(), false)?;
        mappings.end()?;
        spec.end()?;
        reader.finish(root)
    }

    /// The fields that are there without any document.
    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Gives a field of texts that names none the analyzers of the index.
    pub(crate) fn analyze(&self, definition: &mut Json) {
        definition["analyzer"] = json!(Analyzers::name(&self.analyzer));
        definition["search_analyzer"] = json!(Analyzers::name(&self.search_analyzer));
    }
}

/// Where fields are.
#[derive(Clone, Copy, Default)]
struct Place<'p> {
    path: &'p str,
    nested: Option<&'p str>,
    depth: usize,
}

struct Reader {
    analyzers: Analyzers,
    placed: Vec<Placed>,
    analyzer: String,
    search_analyzer: String,
}

impl Reader {
    fn known(&self, analyzer: &str) -> Result<()> {
        match self.analyzers.is_known(analyzer) {
            true => Ok(()),
            false => Err(refused(format!("analyzer \"{analyzer}\" is not defined"))),
        }
    }

    fn finish(self, root: ObjectRule) -> Result<Definition> {
        let mut mapping = Mapping::of_places(self.analyzers.analysis()?);
        for placed in self.placed {
            mapping.place(placed).map_err(of_search)?;
        }
        Ok(Definition {
            root,
            analyzer: self.analyzer,
            search_analyzer: self.search_analyzer,
            mapping,
        })
    }

    /// The members `dynamic` and `fields` of an object.
    fn object(&mut self, spec: &Spec<'_>, place: Place<'_>, is_dynamic: bool) -> Result<ObjectRule> {
        if place.depth > DEPTH_MAX {
            return Err(refused(format!(
                "\"{}\" is more than {DEPTH_MAX} objects deep",
                place.path
            )));
        }
        let is_dynamic = match spec.any("dynamic") {
            Some(Value::Document(_)) => return Err(unsupported("a type set as \"dynamic\"")),
            _ => spec.flag("dynamic")?.unwrap_or(is_dynamic),
        };
        let mut rule = ObjectRule {
            is_dynamic,
            fields: BTreeMap::new(),
        };
        let Some(named) = spec.document("fields")? else {
            return Ok(rule);
        };
        for (name, types) in named.members() {
            if self.placed.len() > FIELDS_MAX {
                return Err(refused(format!("more than {FIELDS_MAX} fields are defined")));
            }
            let path = match place.path.is_empty() {
                true => name.to_owned(),
                false => format!("{}.{name}", place.path),
            };
            let mut field = FieldRule::default();
            for one in one_or_many(types) {
                let spec = Spec::of(named.path_of(name), one)?;
                let place = Place { path: &path, ..place };
                self.field(&spec, place, &mut field)?;
                spec.end()?;
            }
            rule.fields.insert(name.to_owned(), field);
        }
        Ok(rule)
    }

    fn field(&mut self, spec: &Spec<'_>, place: Place<'_>, rule: &mut FieldRule) -> Result<()> {
        let kind = spec
            .text("type")?
            .ok_or_else(|| refused(format!("\"{}\" is required", spec.path_of("type"))))?;
        let within = Place {
            depth: place.depth + 1,
            ..place
        };
        match kind {
            "document" => rule.document = Some(self.object(spec, within, false)?),
            "embeddedDocuments" => {
                self.place(place.path.to_owned(), place, json!({"type": "nested"}), None);
                let nested = Place {
                    nested: Some(place.path),
                    ..within
                };
                rule.embedded = Some(self.object(spec, nested, false)?);
            }
            "string" => self.texts(spec, place)?,
            "autocomplete" => self.completions(spec, place)?,
            "token" => {
                let mut definition = json!({"type": "keyword", "ignore_above": TOKEN_CHARS_MAX});
                match spec.text("normalizer")? {
                    None | Some("none") => {}
                    Some("lowercase") => definition["normalizer"] = json!("lowercase"),
                    Some(other) => return Err(refused(format!("normalizer \"{other}\" is not known"))),
                }
                self.typed("token", place, definition, ValueKind::String);
            }
            // What counts values was a type of its own; it is the same as what sorts and finds whole ones.
            "stringFacet" => self.typed("token", place, json!({"type": "keyword"}), ValueKind::String),
            "number" | "numberFacet" => {
                spec.text("representation")?;
                spec.flag("indexIntegers")?;
                spec.flag("indexDoubles")?;
                self.plain(place, ValueKind::Number);
            }
            "date" | "dateFacet" => self.plain(place, ValueKind::Date),
            "boolean" => self.plain(place, ValueKind::Boolean),
            "objectId" => self.plain(place, ValueKind::ObjectId),
            "uuid" => self.plain(place, ValueKind::Uuid),
            other => return Err(unsupported(format!("the type \"{other}\" of a field"))),
        }
        if !matches!(kind, "document" | "embeddedDocuments") {
            self.plain(place, ValueKind::Null);
        }
        Ok(())
    }

    fn texts(&mut self, spec: &Spec<'_>, place: Place<'_>) -> Result<()> {
        self.text("string", spec, place)?;
        let Some(multi) = spec.document("multi")? else {
            return Ok(());
        };
        for (name, other) in multi.members() {
            let spec = Spec::of(multi.path_of(name), other)?;
            if spec.text("type")? != Some("string") {
                return Err(refused(format!(
                    "\"{}\" must be \"string\"",
                    spec.path_of("type")
                )));
            }
            self.text(&format!("string.{name}"), &spec, place)?;
            spec.end()?;
        }
        Ok(())
    }

    fn text(&mut self, kind: &str, spec: &Spec<'_>, place: Place<'_>) -> Result<()> {
        let analyzer = spec.text("analyzer")?.unwrap_or(&self.analyzer).to_owned();
        let default = match spec.any("analyzer") {
            Some(_) => &analyzer,
            None => &self.search_analyzer,
        };
        let search_analyzer = spec.text("searchAnalyzer")?.unwrap_or(default).to_owned();
        self.known(&analyzer)?;
        self.known(&search_analyzer)?;
        for one_of in ["indexOptions", "norms"] {
            spec.text(one_of)?;
        }
        spec.flag("store")?;
        spec.count("ignoreAbove", 1, i64::from(i32::MAX))?
            .map_or(Ok(()), |_| Err(unsupported("\"ignoreAbove\"")))?;
        let definition = json!({
            "type": "text",
            "analyzer": Analyzers::name(&analyzer),
            "search_analyzer": Analyzers::name(&search_analyzer),
        });
        self.typed(kind, place, definition, ValueKind::String);
        Ok(())
    }

    fn completions(&mut self, spec: &Spec<'_>, place: Place<'_>) -> Result<()> {
        let analyzer = spec.text("analyzer")?.unwrap_or("lucene.standard");
        self.known(analyzer)?;
        let least = spec.count("minGrams", 1, 100)?.unwrap_or(GRAMS.0);
        let most = spec.count("maxGrams", least, 100)?.unwrap_or(GRAMS.1.max(least));
        let folds = spec.flag("foldDiacritics")?.unwrap_or(true);
        let cut = spec.text("tokenization")?.unwrap_or("edgeGram");
        let (index, query) = self.analyzers.completing(analyzer, cut, (least, most), folds)?;
        let definition = json!({"type": "text", "analyzer": index, "search_analyzer": query});
        self.typed("autocomplete", place, definition, ValueKind::String);
        Ok(())
    }

    fn plain(&mut self, place: Place<'_>, kind: ValueKind) {
        let (name, definition) = of_kind(kind);
        self.typed(name, place, definition, kind);
    }

    fn typed(&mut self, kind_name: &str, place: Place<'_>, definition: Json, kind: ValueKind) {
        self.place(fields::name(kind_name, place.path), place, definition, Some(kind));
    }

    fn place(&mut self, name: String, place: Place<'_>, definition: Json, only: Option<ValueKind>) {
        self.placed.push(Placed {
            name,
            path: place.path.to_owned(),
            definition,
            nested: place.nested.map(str::to_owned),
            only,
        });
    }
}
