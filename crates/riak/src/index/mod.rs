//! Secondary indexes: the keys of the objects that are found under a term, or a range of terms, in order.

mod keys;

use crate::error::{Result, RiakError};
use crate::limits::{LISTED_AT_ONCE, PAGE_BYTES, PATTERN_BYTES_MAX};
use crate::names::{id_of_key, key_of_id};
use crate::object::{bytes_of_term, term_of_key};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::{PageLimit, RevisionedCollection, RevisionedSnapshot};
use keys::Keys;
use regex::bytes::{Regex, RegexBuilder};
use std::ops::Bound;
use value::{Document, DocumentBuf, Value, compare};

/// The index of all objects by their keys.
const KEY: &[u8] = b"$key";
/// The index under whose one term, the bucket, all objects are; without a pattern that terms have to match.
pub(crate) const BUCKET: &[u8] = b"$bucket";

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(crate) index: Vec<u8>,
    pub(crate) low: Vec<u8>,
    /// The end of a range, itself included; without it, only the first term is meant.
    pub(crate) high: Option<Vec<u8>>,
    pub(crate) returns_terms: bool,
    pub(crate) max_results: Option<usize>,
    pub(crate) continuation: Option<Vec<u8>>,
    /// What terms have to match.
    pub(crate) pattern: Option<String>,
}

/// A term, as clients see it, and the key of an object.
pub(crate) type FoundKey = (Vec<u8>, Vec<u8>);

/// Of terms, or of `_id`s.
type Range = (Bound<Value>, Bound<Value>);

/// A query under way.
#[derive(Debug)]
pub(crate) struct Run {
    snapshot: RevisionedSnapshot,
    name: Option<String>,
    range: Range,
    /// Where a range of keys is meant.
    keys: Option<Keys>,
    /// The term and the `_id` of what was found last.
    last: Option<(Value, Value)>,
    pattern: Option<Regex>,
    left: Option<usize>,
    is_ended: bool,
    /// See [`Query::tells_terms`].
    pub(crate) tells_terms: bool,
}

impl Query {
    /// Refuses what is no query.
    pub(crate) fn check(&self) -> Result<()> {
        self.range().map(|_| ())?;
        if self.max_results == Some(0) {
            return Err(RiakError::bad(
                "Invalid \"max_results\". 0 is not a positive integer",
            ));
        }
        if self.pattern.is_some() && self.index.ends_with(b"_int") {
            return Err(RiakError::bad(
                "Can not use term regular expressions on integer queries",
            ));
        }
        Ok(())
    }

    /// A query for one term of an index, or for all up to another one.
    pub(crate) fn of(index: &[u8], low: &[u8], high: Option<&[u8]>) -> Query {
        Query {
            // Letters of either case name the same index.
            index: index.to_ascii_lowercase(),
            low: low.to_vec(),
            high: high.map(<[u8]>::to_vec),
            ..Query::default()
        }
    }

    /// A query for all objects of a bucket.
    pub(crate) fn of_all() -> Query {
        Query {
            index: BUCKET.to_vec(),
            ..Query::default()
        }
    }

    /// The same with the ends of its range in their order.
    pub(crate) fn in_order(mut self) -> Result<Query> {
        let is_reversed = match (self.keys(), self.range()?) {
            (Some((low, high)), _) => low > high,
            (None, (Bound::Included(low), Bound::Included(high))) => {
                compare(low.as_ref(), high.as_ref()).is_gt()
            }
            _ => false,
        };
        if is_reversed && let Some(high) = &mut self.high {
            std::mem::swap(high, &mut self.low);
        }
        Ok(self)
    }

    /// Whether terms are told: of one term alone they are known, and those of keys are the keys.
    pub(crate) fn tells_terms(&self) -> bool {
        self.returns_terms && self.high.is_some() && !self.is_by_key()
    }

    /// Whether the keys themselves are looked for.
    pub(crate) fn is_by_key(&self) -> bool {
        self.index == KEY || self.index == BUCKET
    }

    /// The first and the last key of a range of keys.
    fn keys(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let high = self.high.as_ref().filter(|_| self.index == KEY)?;
        Some((self.low.clone(), high.clone()))
    }

    fn range(&self) -> Result<Range> {
        if self.index == BUCKET {
            return Ok((Bound::Unbounded, Bound::Unbounded));
        }
        let term = |term: &[u8]| match self.index == KEY {
            true => id_of_key(term),
            false => term_of_key(&self.index, term),
        };
        let high = self.high.as_ref().unwrap_or(&self.low);
        // A range of all keys begins with a key that none can have.
        let low = match self.low.is_empty() && self.index == KEY {
            true => Bound::Unbounded,
            false => Bound::Included(term(&self.low)?),
        };
        Ok((low, Bound::Included(term(high)?)))
    }

    /// Begins to look.
    pub(crate) async fn run(&self, collection: &RevisionedCollection) -> Result<Run> {
        self.check()?;
        let last = self.continuation.as_deref().map(read_continuation).transpose()?;
        let pattern = self.pattern.as_deref().map(compile).transpose()?;
        let pattern = pattern.filter(|_| self.index != BUCKET);
        let name = (!self.is_by_key()).then(|| String::from_utf8_lossy(&self.index).into_owned());
        let keys = self.keys().map(|(low, high)| {
            let after = last.as_ref().map(|(_, id)| key_of_id(id.as_ref()).into_owned());
            Keys::between(&low, &high, after)
        });
        Ok(Run {
            snapshot: collection.snapshot().await?,
            name,
            range: self.range()?,
            keys,
            last,
            pattern,
            left: self.max_results,
            is_ended: false,
            tells_terms: self.tells_terms(),
        })
    }
}

impl Run {
    /// The next that are found; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Vec<FoundKey>> {
        let mut found = Vec::new();
        while found.is_empty() && !self.is_ended && self.left != Some(0) {
            let page = match &self.name {
                Some(name) => self.terms(&name.clone()).await?,
                None => self.ids().await?,
            };
            engine::steps(page.len())?;
            for (term, id) in page {
                if self.left == Some(0) {
                    break;
                }
                let shown = match &self.name {
                    Some(_) => bytes_of_term(term.as_ref()),
                    None => key_of_id(term.as_ref()).into_owned(),
                };
                let is_meant = self.means(&shown);
                // Terms stay until the deletion of their document is forgotten.
                let is_there = self.name.is_none() || self.snapshot.document(id.as_ref()).await?.is_some();
                if is_meant && is_there {
                    found.push((shown, key_of_id(id.as_ref()).into_owned()));
                    self.left = self.left.map(|left| left - 1);
                }
                self.last = Some((term, id));
            }
        }
        Ok(found)
    }

    async fn terms(&mut self, name: &str) -> Result<Vec<(Value, Value)>> {
        let limit = PageLimit {
            entries: LISTED_AT_ONCE,
            bytes: PAGE_BYTES,
        };
        let (page, is_ended) = self
            .snapshot
            .terms(name, self.range.clone(), self.last.as_ref(), limit)
            .await?;
        self.is_ended = is_ended;
        Ok(page)
    }

    /// The next `_id`s of keys that are meant, as terms too.
    async fn ids(&mut self) -> Result<Vec<(Value, Value)>> {
        let ids = match &mut self.keys {
            Some(keys) => {
                let ids = keys.next(&self.snapshot).await?;
                self.is_ended = ids.is_empty();
                ids
            }
            None => self.ids_in_range().await?,
        };
        Ok(ids.into_iter().map(|id| (id.clone(), id)).collect())
    }

    async fn ids_in_range(&mut self) -> Result<Vec<Value>> {
        let limit = PageLimit {
            entries: LISTED_AT_ONCE,
            bytes: PAGE_BYTES,
        };
        let (low, high) = &self.range;
        // A continuation is a client's.
        let last = self.last.as_ref().map(|(_, id)| id);
        let last = last.filter(|id| !is_before(id, low));
        if last.is_some_and(|id| is_behind(id, high)) {
            self.is_ended = true;
            return Ok(Vec::new());
        }
        let low = last.map_or_else(|| low.clone(), |id| Bound::Excluded(id.clone()));
        let (ids, next) = self.snapshot.ids((low, high.clone()), None, limit).await?;
        self.is_ended = next.is_none();
        Ok(ids.into_iter().map(|(id, _)| id).collect())
    }

    /// Whether a term, or a key, is one of those that are looked for.
    fn means(&self, shown: &[u8]) -> bool {
        let is_match = |pattern: &Regex| pattern.is_match(shown);
        self.pattern.as_ref().is_none_or(is_match)
    }

    /// The continuation with which a client goes on, if as many were found as were wanted.
    pub(crate) fn continuation(&self) -> Option<String> {
        let (term, id) = self.last.as_ref().filter(|_| self.left == Some(0))?;
        let place = Document::new().with("term", term.clone()).with("id", id.clone());
        Some(STANDARD.encode(DocumentBuf::from(&place).bytes()))
    }
}

fn is_before(id: &Value, low: &Bound<Value>) -> bool {
    match low {
        Bound::Included(low) | Bound::Excluded(low) => compare(id.as_ref(), low.as_ref()).is_lt(),
        Bound::Unbounded => false,
    }
}

fn is_behind(id: &Value, high: &Bound<Value>) -> bool {
    match high {
        Bound::Included(high) | Bound::Excluded(high) => compare(id.as_ref(), high.as_ref()).is_ge(),
        Bound::Unbounded => false,
    }
}

fn read_continuation(text: &[u8]) -> Result<(Value, Value)> {
    let read = || {
        let bytes = STANDARD.decode(text).ok()?;
        let mut place = DocumentBuf::new(bytes.into()).ok()?.to_document();
        Some((place.remove("term")?, place.remove("id")?))
    };
    read().ok_or_else(|| RiakError::bad("the continuation is none that was given here"))
}

fn compile(pattern: &str) -> Result<Regex> {
    let invalid =
        |error: String| RiakError::bad(format!("Invalid term regular expression \"{pattern}\" : {error}"));
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(invalid(format!("it has more than {PATTERN_BYTES_MAX} bytes")));
    }
    let built = RegexBuilder::new(pattern).unicode(false).build();
    built.map_err(|error| invalid(error.to_string()))
}
