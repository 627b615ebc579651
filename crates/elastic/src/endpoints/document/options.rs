//! The parameters that all writes of single documents take.

use super::condition;
use indices::error::{ElasticError, Result};
use indices::write::OwnVersion;
use rest::call::Call;
use rest::names;
use rest::parameters::Parameters;
use serde_json::{Map, Value, json};

/// The greatest version that JSON carries exactly.
const VERSION_MAX: u64 = (1 << 53) - 1;

/// Says that any version will do, as where none is given.
const MATCH_ANY: i64 = -3;

/// Says that the document must not be there, as what creates it wants anyway; Java's clients send it with that.
const MATCH_DELETED: i64 = -4;

/// What a write is told besides its document.
pub(super) struct Options {
    pub(super) condition: Option<(u64, u64)>,
    pub(super) version: Option<OwnVersion>,
    pub(super) creates: bool,
    pub(super) routing: Option<String>,
    /// The pipeline that the document is to go through.
    pub(super) pipeline: Option<String>,
    /// What is answered to `refresh`; every search sees every write, so nothing has to be waited for.
    refreshed: Option<bool>,
    require_alias: bool,
}

impl Options {
    /// The options of a write that makes a document; one that must not be there yet has no version of its own.
    pub(super) fn for_put(parameters: &mut Parameters, creates: bool) -> Result<Options> {
        // Updates and deletions have neither.
        let pipeline = parameters.take("pipeline");
        let must_create = creates && parameters.peek("op_type").is_some();
        let creates = match parameters.take("op_type").map(|text| text.to_ascii_lowercase()) {
            None => creates,
            Some(text) if text == "create" => true,
            Some(text) if text == "index" && !must_create => false,
            Some(text) if must_create => {
                return Err(ElasticError::illegal(format!(
                    "opType must be 'create', found: [{text}]"
                )));
            }
            Some(text) => {
                return Err(ElasticError::illegal(format!(
                    "opType must be 'create' or 'index', found: [{text}]"
                )));
            }
        };
        let is_own = !matches!(parameters.peek("version_type"), None | Some("internal"));
        if creates && is_own {
            return Err(ElasticError::validation(&[
                "create operations only support internal versioning. use index instead".to_owned(),
            ]));
        }
        let options = Options {
            pipeline,
            ..Options::read(parameters, creates)?
        };
        if creates && options.condition.is_some() {
            return Err(ElasticError::validation(&[
                "create operations do not support compare and set. use index instead".to_owned(),
            ]));
        }
        Ok(options)
    }

    /// The options of a write that changes or deletes one.
    pub(super) fn take(parameters: &mut Parameters) -> Result<Options> {
        Options::read(parameters, false)
    }

    fn read(parameters: &mut Parameters, creates: bool) -> Result<Options> {
        let refreshed = match parameters.take("refresh").as_deref() {
            None => None,
            Some("" | "true") => Some(true),
            Some("false" | "wait_for") => Some(false),
            Some(other) => {
                return Err(ElasticError::illegal(format!(
                    "Unknown value for refresh: [{other}]."
                )));
            }
        };
        parameters.without_effect(&["timeout", "wait_for_active_shards"]);
        let routing = parameters.take("routing").filter(|routing| !routing.is_empty());
        let (kind, number) = (parameters.take("version_type"), parameters.long("version")?);
        let version = own_version(kind.as_deref(), number, creates)?;
        let condition = condition(parameters.long("if_seq_no")?, parameters.long("if_primary_term")?)?;
        if condition.is_some() && version.is_some() {
            return Err(ElasticError::validation(&[
                "compare and write operations can not use versioning".to_owned(),
            ]));
        }
        Ok(Options {
            condition,
            version,
            pipeline: None,
            routing,
            creates,
            refreshed: refreshed.filter(|forced| *forced),
            require_alias: parameters.flag("require_alias")?.unwrap_or(false),
        })
    }

    /// Refuses what is no alias where it must be one.
    pub(super) fn check_alias(&self, call: &Call, name: &str) -> Result<()> {
        match self.require_alias && !names::is_alias(call, name) {
            false => Ok(()),
            true => Err(no_alias(name)),
        }
    }

    pub(super) fn put_refresh(&self, answer: &mut Map<String, Value>) {
        if let Some(forced) = self.refreshed {
            answer.insert("forced_refresh".to_owned(), json!(forced));
        }
    }
}

/// A name is to be an alias, and is none.
pub(crate) fn no_alias(name: &str) -> ElasticError {
    ElasticError {
        reason: format!(
            "no such index [{name}] and [require_alias] request flag is [true] and [{name}] is not an alias"
        ),
        ..ElasticError::no_index(name)
    }
}

/// Whether versions of this type are compared by `external_gte`, and `None` for internal ones.
fn version_type(kind: Option<&str>) -> Result<Option<bool>> {
    match kind {
        None | Some("internal") => Ok(None),
        Some("external" | "external_gt") => Ok(Some(false)),
        Some("external_gte") => Ok(Some(true)),
        Some(other) => Err(ElasticError::illegal(format!("No version type match [{other}]"))),
    }
}

/// The version that a read asks for; all types mean the same there.
pub(crate) fn read_version(kind: Option<&str>, number: Option<i64>) -> Result<Option<i64>> {
    let is_own = version_type(kind)?.is_some();
    match number {
        Some(0) if is_own => Ok(Some(0)),
        Some(number @ (i64::MIN..=0)) if number != MATCH_ANY => {
            let kind = if is_own { "EXTERNAL" } else { "INTERNAL" };
            Err(ElasticError::validation(&[format!(
                "illegal version value [{number}] for version type [{kind}]"
            )]))
        }
        number => Ok(number.filter(|number| *number != MATCH_ANY)),
    }
}

/// The version that a document is to have, by its type; `creates` says whether it must not be there yet.
pub(crate) fn own_version(
    kind: Option<&str>,
    number: Option<i64>,
    creates: bool,
) -> Result<Option<OwnVersion>> {
    match (version_type(kind)?, number) {
        (None, None | Some(MATCH_ANY)) => Ok(None),
        (None, Some(MATCH_DELETED)) if creates => Ok(None),
        (None, Some(_)) => {
            let reason = "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and \
                `if_primary_term` instead";
            Err(ElasticError::validation(&[reason.to_owned()]))
        }
        // Revisions are counted from 1, and a document that is there has one.
        (Some(or_equal), Some(number)) if (1..=VERSION_MAX as i64).contains(&number) => {
            Ok(Some(OwnVersion {
                number: number as u64,
                or_equal,
            }))
        }
        (Some(_), number) => Err(ElasticError::validation(&[format!(
            "illegal version value [{}] for version type [EXTERNAL]",
            number.unwrap_or(MATCH_ANY)
        )])),
    }
}
