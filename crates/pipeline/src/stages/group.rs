//! `$group`: documents with equal keys, and what accumulates over them.

use super::accumulation::{Accumulation, AccumulationState, Asking};
use super::group_errors::{has_own_codes, in_group};
use crate::join_key::append_key;
use crate::kept::{Kept, no_room};
use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{Flow, PAGE_BYTES, PAGE_ROWS, Step, Work};
use crate::{Code, QueryError, Result};
use language::expression::{Evaluated, Expression, Variables, document_bytes, names_operator};
use memory::Share;
use query::execute::{Sorted, Sorter};
use query::spill::{SpillRun, Spilled};
use std::collections::BTreeSet;
use std::sync::Arc;
use value::raw::DocumentWriter;
use value::{Document, DocumentBuf, DocumentRef, RawDocument, Value, ValueRef};

/// Short keys are hashed much faster than by the standard library's hash; seeded, so that nobody can choose keys that meet.
type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::quality::RandomState>;

#[derive(Clone, Debug)]
pub(super) struct Group {
    operand: Document,
    id: Expression,
    /// Whether computing `_id` twice for the same document has the same result.
    is_steady: bool,
    fields: Arc<Vec<(String, Accumulation)>>,
    /// Whether what accumulates may grow.
    grows: bool,
    /// Whether errors on documents have the codes of groups. What is wrong with constants has the codes of the rest.
    has_own_codes: bool,
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(spec) = operand else {
        return Err(QueryError::new(
            Code::location(15_947),
            "a group's fields must be specified in an object",
        ));
    };
    Ok(vec![Arc::new(Group::parse(spec, scope)?)])
}

impl Group {
    pub(super) fn parse(spec: &Document, scope: &StageScope<'_>) -> Result<Group> {
        let mut id = None;
        let mut fields = Vec::with_capacity(spec.len());
        for (name, value) in spec.iter() {
            if name == "_id" {
                check_id(value)?;
                id = Some(Expression::parse(value, &scope.parse_scope())?);
            } else {
                fields.push((name.to_owned(), Accumulation::parse(name, value, scope)?));
            }
        }
        Ok(Group {
            operand: spec.clone(),
            id: id.ok_or_else(|| {
                QueryError::new(
                    Code::location(15_955),
                    "a group specification must include an _id",
                )
            })?,
            is_steady: !["$rand", "$function"]
                .iter()
                .any(|operator| spec.get("_id").is_some_and(|id| names_operator(id, operator))),
            grows: fields
                .iter()
                .any(|(_, accumulation)| !accumulation.keeps_its_size()),
            fields: Arc::new(fields),
            has_own_codes: scope.leads && has_own_codes(spec),
        })
    }

    /// An error on a document as this group reports it.
    fn error(&self, error: QueryError) -> QueryError {
        match self.has_own_codes {
            true => in_group(error),
            false => error,
        }
    }
}

/// Refuses `{_id: {a: 1}}`, which looks like a projection.
fn check_id(id: &Value) -> Result<()> {
    let Value::Document(id) = id else {
        return Ok(());
    };
    let is_operator = id.iter().next().is_some_and(|(name, _)| name.starts_with('$'));
    let inclusion = |value: &Value| value.type_of().is_number() || matches!(value, Value::Bool(_));
    if !is_operator && id.iter().any(|(_, value)| inclusion(value)) {
        return Err(QueryError::new(
            Code::location(17_390),
            "$group does not support inclusion-style expressions",
        ));
    }
    Ok(())
}

impl Stage for Group {
    fn start(&self, run: &Run) -> Work {
        Work::local(Grouping {
            group: self.clone(),
            run: run.clone(),
            places: HashMap::default(),
            groups: Vec::new(),
            bytes: 0,
            kept: run.kept("$group"),
            results: None,
            key: Vec::new(),
            rest: None,
            sorted: None,
            given: 0,
        })
    }

    fn to_document(&self) -> Document {
        named("$group", self.operand.clone())
    }

    fn is_group(&self) -> bool {
        true
    }

    fn fields_read(&self) -> Option<BTreeSet<String>> {
        let mut fields = self.id.fields_read()?.clone();
        for (_, accumulation) in self.fields.iter() {
            fields.append(&mut accumulation.fields_read()?);
        }
        Some(fields)
    }
}

/// The groups so far. Once they fill the memory, further documents wait in files, sorted by their keys; at the end they are
/// added to their groups, one group after the other.
struct Grouping {
    group: Group,
    run: Run,
    /// The place of each key's group.
    places: HashMap<Box<[u8]>, usize>,
    /// The groups; `None` once a group was returned.
    groups: Vec<Option<OneGroup>>,
    /// The bytes of keys and states.
    bytes: usize,
    kept: Kept,
    /// Results that went to a file while the cursor was idle.
    results: Option<SpillRun>,
    /// A buffer for the key of the present document.
    key: Vec<u8>,
    /// The documents that came when memory was full.
    rest: Option<Sorter<Row>>,
    sorted: Option<Sorted<Row>>,
    /// The number of groups in memory that were returned at the end.
    given: usize,
}

struct OneGroup {
    /// A document with only its `_id`, as BSON, which is less work to keep and return than a tree.
    id: DocumentBuf,
    states: Vec<AccumulationState>,
}

impl OneGroup {
    fn bytes(&self) -> usize {
        self.states.iter().map(AccumulationState::bytes).sum()
    }
}

/// Most documents of an `_id` alone are smaller.
const ID_BYTES: usize = 128;

/// A document that is longer is not kept before there is room for it.
const LONG_BYTES: usize = 64 * 1024;

/// About what a group takes beside its key and what its accumulators keep.
const GROUP_BYTES: usize = 128;

impl Grouping {
    fn add(&mut self, document: DocumentRef<'_>) -> Result<()> {
        if self.rest.is_none() && self.has_no_room_for(document) {
            self.rest = Some(self.run.sorter(None));
        }
        self.key.clear();
        let id = self.group.put_key(document, &self.run.variables, &mut self.key)?;
        if let Some(rest) = &mut self.rest {
            return rest.push(&self.key, &kept_row(document, &self.run.variables));
        }
        let bytes = self.bytes;
        let at = match self.places.get(self.key.as_slice()) {
            Some(at) => *at,
            None => {
                let id = self.group.id_of(document, id, &self.run.variables)?;
                self.open(id)?
            }
        };
        if let Some(group) = &mut self.groups[at] {
            let (before, after) = self.group.add_to(group, document, &self.run.variables)?;
            self.bytes = (self.bytes + after).saturating_sub(before);
        }
        if self.bytes == bytes {
            return Ok(());
        }
        if !self.kept.fits(self.bytes) {
            if self.run.surroundings.spill.is_none() {
                return Err(QueryError::new(
                    Code::QUERY_EXCEEDED_MEMORY_LIMIT_NO_DISK_USE_ALLOWED,
                    "Exceeded memory limit for $group, but didn't allow external spilling; pass allowDiskUse:true to opt in",
                ));
            }
            self.rest = Some(self.run.sorter(None));
        }
        Ok(())
    }

    /// Whether a long document goes to a file: its group might keep all of it, and that is known only when it does.
    fn has_no_room_for(&mut self, document: DocumentRef<'_>) -> bool {
        if !self.group.grows || self.run.surroundings.spill.is_none() || !self.kept.is_scarce() {
            return false;
        }
        let bytes = document_bytes(document);
        bytes > LONG_BYTES && !self.kept.fits(self.bytes + bytes)
    }

    /// Opens a group for the present key.
    fn open(&mut self, id: DocumentBuf) -> Result<usize> {
        let at = self.groups.len();
        let group = self.group.start(id, &self.run.variables)?;
        self.bytes += GROUP_BYTES * (1 + group.states.len()) + 2 * self.key.len();
        self.groups.push(Some(group));
        self.places.insert(self.key.as_slice().into(), at);
        Ok(at)
    }

    /// The next group to return, from memory or from files.
    fn next_group(&mut self) -> Result<Option<OneGroup>> {
        if let Some(group) = self.next_of_rest().map_err(|error| self.group.error(error))? {
            return Ok(Some(group));
        }
        while let Some(group) = self.groups.get_mut(self.given) {
            self.given += 1;
            if let Some(group) = group.take() {
                return Ok(Some(group));
            }
        }
        Ok(None)
    }

    /// The next result that went to a file.
    fn next_result(&mut self) -> Result<Option<Row>> {
        let Some(results) = &mut self.results else {
            return Ok(None);
        };
        let (mut key, mut item) = (Vec::new(), Vec::new());
        match results.next(&mut key, &mut item)? {
            true => Row::load(&item).map(Some),
            false => Ok(None),
        }
    }

    /// The next of the groups to which documents in files belong; none at their end.
    fn next_of_rest(&mut self) -> Result<Option<OneGroup>> {
        let Some(sorted) = &mut self.sorted else {
            return Ok(None);
        };
        let Some(first) = sorted.pop()? else {
            self.sorted = None;
            return Ok(None);
        };
        let key = sorted.key().to_vec();
        first.show_metadata(&mut self.run.variables);
        let known = self
            .places
            .get(key.as_slice())
            .and_then(|at| self.groups[*at].take());
        let mut group = match known {
            Some(group) => group,
            None => {
                let variables = &self.run.variables;
                let found = self.group.id.find(first.as_ref(), variables)?;
                let id = self.group.id_of(first.as_ref(), Some(found), variables)?;
                self.group.start(id, variables)?
            }
        };
        // One document is taken, however long it is.
        self.group
            .add_to(&mut group, first.as_ref(), &self.run.variables)?;
        drop(first);
        while let Some(row) = sorted.pop_of(&key)? {
            row.show_metadata(&mut self.run.variables);
            let (_, bytes) = self.group.add_to(&mut group, row.as_ref(), &self.run.variables)?;
            self.kept.check_counted(bytes)?;
        }
        Ok(Some(group))
    }
}

/// A document with the metadata that expressions see of it.
fn kept_row(document: DocumentRef<'_>, variables: &Variables) -> Row {
    match variables.shown_metadata() {
        none if none.is_empty() => Row::Raw(document.to_buf()),
        metadata => Row::of_parts(document.to_document(), Some(metadata.clone())),
    }
}

impl Group {
    /// A group without documents.
    fn start(&self, id: DocumentBuf, variables: &Variables) -> Result<OneGroup> {
        let states = self.fields.iter();
        let states =
            states.map(|(_, accumulation)| accumulation.start(id.as_ref(), variables, Asking::Group));
        Ok(OneGroup {
            states: states.collect::<Result<_>>()?,
            id,
        })
    }

    /// A document of the `_id` of a document's group; `found` is that where it was computed whole.
    fn id_of(
        &self,
        document: DocumentRef<'_>,
        found: Option<Evaluated<'_>>,
        variables: &Variables,
    ) -> Result<DocumentBuf> {
        let mut bytes = Vec::with_capacity(ID_BYTES);
        let mut writer = DocumentWriter::new(&mut bytes);
        if let Some(found) = found {
            writer.put("_id", found.or_null());
        } else if let Some(value) = self.id.field(document, variables) {
            writer.put("_id", value.unwrap_or(ValueRef::Null));
        } else {
            let mut outcome = Ok(true);
            writer.put_document("_id", |id| {
                let mut put = |name: &str, value: Option<ValueRef<'_>>| {
                    value.into_iter().for_each(|value| id.put(name, value));
                };
                outcome = self.id.visit_fields(document, variables, &mut put);
            });
            outcome?;
        }
        writer.finish();
        Ok(RawDocument::from_validated(&bytes).to_buf())
    }

    /// Appends the key of a document's group; what its `_id` is, if that was computed whole. Where it was not, its parts are fields.
    fn put_key<'f>(
        &'f self,
        document: DocumentRef<'f>,
        variables: &'f Variables,
        key: &mut Vec<u8>,
    ) -> Result<Option<Evaluated<'f>>> {
        /// No key of a value begins with it.
        const MISSING: u8 = 0;
        let collation = variables.collation();
        let mut put = |_: &str, value: Option<ValueRef<'_>>| match value {
            Some(value) => append_key(value, collation, key),
            None => key.push(MISSING),
        };
        if self.is_steady && self.id.visit_fields(document, variables, &mut put)? {
            return Ok(None);
        }
        if let Some(value) = self.id.field(document, variables) {
            append_key(value.unwrap_or(ValueRef::Null), collation, key);
            return Ok(None);
        }
        let id = self.id.find(document, variables)?;
        append_key(id.or_null(), collation, key);
        Ok(Some(id))
    }

    /// Adds a document to its group; the bytes of the states before and after.
    fn add_to(
        &self,
        group: &mut OneGroup,
        document: DocumentRef<'_>,
        variables: &Variables,
    ) -> Result<(usize, usize)> {
        let (mut before, mut after) = (0, 0);
        for ((_, accumulation), state) in self.fields.iter().zip(&mut group.states) {
            before += if self.grows { state.bytes() } else { 0 };
            accumulation.add(state, document, variables)?;
            after += if self.grows { state.bytes() } else { 0 };
        }
        Ok((before, after))
    }

    /// What came out of a group, written into `bytes` first.
    fn result(&self, mut group: OneGroup, bytes: &mut Vec<u8>) -> Result<Row> {
        bytes.clear();
        let mut writer = DocumentWriter::new(bytes);
        if let Some((element, _)) = group.id.as_raw().iter().next_raw() {
            writer.put_element(element);
        }
        for ((name, _), state) in self.fields.iter().zip(&mut group.states) {
            if let Some(value) = state.result()? {
                writer.put(name, value.as_ref());
            }
        }
        writer.finish();
        // A long one is not copied.
        Ok(Row::Raw(match bytes.len() > LONG_BYTES {
            true => DocumentBuf::from_validated(std::mem::take(bytes).into()),
            false => RawDocument::from_validated(bytes).to_buf(),
        }))
    }
}

impl Step for Grouping {
    fn push(&mut self, rows: Vec<Row>, _out: &mut Vec<Row>) -> Result<Flow> {
        rows.into_iter()
            .try_for_each(|row| {
                row.show_metadata(&mut self.run.variables);
                self.add(row.as_ref())
            })
            .map_err(|error| self.group.error(error))?;
        Ok(Flow::More)
    }

    fn take(&mut self, document: DocumentRef<'_>) -> Result<()> {
        self.add(document).map_err(|error| self.group.error(error))
    }

    fn finish(&mut self, out: &mut Vec<Row>) -> Result<Flow> {
        if let Some(rest) = self.rest.take() {
            self.sorted = Some(rest.into_sorted()?);
        }
        let (mut bytes, mut written) = (0, Vec::new());
        while out.len() < PAGE_ROWS && bytes < PAGE_BYTES {
            let Some(group) = self.next_group()? else {
                return Ok(match self.next_result()? {
                    Some(row) => {
                        out.push(row);
                        Flow::More
                    }
                    None => Flow::Done,
                });
            };
            bytes += group.bytes();
            out.push(self.group.result(group, &mut written)?);
        }
        Ok(Flow::More)
    }

    fn finish_bytes(&self) -> usize {
        // A group that is made of files is not counted while it grows.
        if self.rest.is_some() || self.sorted.is_some() {
            return self.kept.bytes_max();
        }
        let next = self.groups.get(self.given).and_then(Option::as_ref);
        next.map_or(0, OneGroup::bytes)
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        if let Some(sorted) = &mut self.sorted {
            sorted.rest(idle)?;
        }
        if let Some(results) = &mut self.results {
            results.rest();
        }
        if self.kept.rest(idle) {
            return Ok(());
        }
        // Documents in files still belong to groups in memory; together they are results, once all documents are there.
        let is_ended = self.rest.is_none();
        let Some(folder) = self.run.surroundings.spill.clone().filter(|_| is_ended) else {
            return Err(no_room(idle, self.bytes));
        };
        let mut writer = folder.create()?;
        let (mut item, mut written) = (Vec::new(), Vec::new());
        while let Some(group) = self.next_group()? {
            item.clear();
            self.group.result(group, &mut written)?.save(&mut item);
            writer.push(&[], &item)?;
        }
        self.groups = Vec::new();
        self.places = HashMap::default();
        self.bytes = 0;
        self.kept = self.run.kept("$group");
        let mut results = writer.finish()?;
        results.rest();
        self.results = Some(results);
        Ok(())
    }
}
