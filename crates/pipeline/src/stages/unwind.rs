//! `$unwind`: a document for each element of an array.

use crate::fields::{Around, checked_path, reached, remove, set};
use crate::kept::no_room;
use crate::row::Row;
use crate::stage::{Run, Stage, StageScope, named};
use crate::step::{Flow, PAGE_BYTES, PAGE_ROWS, Step, Work};
use crate::waiting::Waiting;
use crate::{Code, QueryError, Result};
use language::expression::{document_bytes, size_bytes};
use language::interruption::steps;
use memory::Share;
use query::spill::{SpillFolder, SpillRun, Spilled, damaged};
use std::sync::Arc;
use value::path::FieldPath;
use value::{ArrayRef, Document, DocumentRef, Value, ValueRef, doc};

#[derive(Clone, Debug)]
struct Unwind {
    path: FieldPath,
    operand: Value,
    preserves: bool,
    index: Option<FieldPath>,
}

pub(crate) fn parse(_name: &str, operand: &Value, _scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let mut unwind = Unwind {
        path: FieldPath::parse(""),
        operand: operand.clone(),
        preserves: false,
        index: None,
    };
    let path = match operand {
        Value::String(path) => Some(path),
        Value::Document(options) => parse_options(options, &mut unwind)?,
        other => {
            return Err(QueryError::new(
                Code::location(15_981),
                format!(
                    "expected either a string or an object as specification for $unwind stage, got {}",
                    other.type_of().alias()
                ),
            ));
        }
    };
    let path = path
        .filter(|path| !path.is_empty())
        .ok_or_else(|| QueryError::new(Code::location(28_812), "no path specified to $unwind stage"))?;
    let path = path.strip_prefix('$').ok_or_else(|| {
        QueryError::new(
            Code::location(28_818),
            format!("path option to $unwind stage should be prefixed with a '$': {path}"),
        )
    })?;
    if path.contains('\0') {
        return Err(QueryError::new(
            Code::location(16_419),
            "field path must not contain embedded null characters",
        ));
    }
    unwind.path = checked_path(path)?;
    Ok(vec![Arc::new(unwind)])
}

fn parse_options<'o>(options: &'o Document, unwind: &mut Unwind) -> Result<Option<&'o String>> {
    let wrong = |code, wanted: &str, found: &Value| {
        QueryError::new(
            code,
            format!(
                "expected {wanted} for $unwind stage, got {}",
                found.type_of().alias()
            ),
        )
    };
    let mut path = None;
    for (name, value) in options.iter() {
        match (name, value) {
            ("path", Value::String(given)) => path = Some(given),
            ("path", other) => return Err(wrong(Code::location(28_808), "a string as the path", other)),
            ("preserveNullAndEmptyArrays", Value::Bool(preserves)) => unwind.preserves = *preserves,
            ("preserveNullAndEmptyArrays", other) => {
                return Err(wrong(
                    Code::location(28_809),
                    "a boolean for the preserveNullAndEmptyArrays option",
                    other,
                ));
            }
            ("includeArrayIndex", Value::String(index)) if !index.is_empty() => {
                if index.starts_with('$') {
                    return Err(QueryError::new(
                        Code::location(28_822),
                        format!(
                            "includeArrayIndex option to $unwind stage should not be prefixed with a '$': {index}"
                        ),
                    ));
                }
                unwind.index = Some(checked_path(index)?);
            }
            ("includeArrayIndex", other) => {
                return Err(wrong(
                    Code::location(28_810),
                    "a non-empty string for the includeArrayIndex option",
                    other,
                ));
            }
            (unknown, _) => {
                return Err(QueryError::new(
                    Code::location(28_811),
                    format!("unrecognized option to $unwind stage: {unknown}"),
                ));
            }
        }
    }
    Ok(path)
}

impl Stage for Unwind {
    fn start(&self, run: &Run) -> Work {
        Work::local(Unwinding {
            unwind: self.clone(),
            spill: run.surroundings.spill.clone(),
            long: None,
            resting: None,
            waiting: Waiting::default(),
        })
    }

    fn unwound(&self) -> Option<(&str, bool)> {
        match (self.path.parts(), &self.index) {
            ([field], None) => Some((field, self.preserves)),
            _ => None,
        }
    }

    fn to_document(&self) -> Document {
        let operand = match &self.operand {
            Value::String(path) => Value::Document(named("path", path)),
            other => other.clone(),
        };
        named("$unwind", operand)
    }
}

struct Unwinding {
    unwind: Unwind,
    /// The folder for pauses; `None` if files may not be used.
    spill: Option<Arc<SpillFolder>>,
    /// The row that is being unwound.
    long: Option<Long>,
    /// The same in a file.
    resting: Option<SpillRun>,
    /// The rows after it.
    waiting: Waiting,
}

/// A row with many elements, unwound a page at a time.
struct Long {
    /// The document with nothing in the array's place: the array is not copied for each of its elements.
    around: Document,
    metadata: Option<Document>,
    elements: std::vec::IntoIter<Value>,
    /// The place of the next one.
    at: i64,
}

impl Step for Unwinding {
    fn expands(&self) -> bool {
        true
    }

    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        self.waiting.extend(rows);
        self.go_on(out)?;
        Ok(Flow::More)
    }

    fn has_more(&self) -> bool {
        self.long.is_some() || self.resting.is_some() || !self.waiting.is_empty()
    }

    fn go_on(&mut self, out: &mut Vec<Row>) -> Result<()> {
        if let Some(file) = self.resting.take() {
            self.long = Some(Long::load(file)?);
        }
        while out.len() < PAGE_ROWS {
            if let Some(long) = &mut self.long {
                if !long.give(&self.unwind, out)? {
                    return Ok(());
                }
                self.long = None;
            }
            let Some(row) = self.waiting.pop()? else {
                return Ok(());
            };
            self.unwind_row(row, out);
        }
        Ok(())
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.waiting.rest(idle, self.spill.as_deref())?;
        let bytes = self.long.as_ref().map_or(0, Long::bytes);
        if idle.fit_or_spill(idle.bytes() + bytes, self.spill.is_some()) {
            return Ok(());
        }
        let folder = self.spill.as_ref().ok_or_else(|| no_room(idle, bytes))?;
        self.resting = self.long.take().map(|long| long.save(folder)).transpose()?;
        Ok(())
    }
}

impl Long {
    /// About the bytes that it takes.
    fn bytes(&self) -> usize {
        let elements = self.elements.as_slice().iter();
        let around = document_bytes((&self.around).into());
        let metadata = self.metadata.as_ref();
        around
            + metadata.map_or(0, |metadata| document_bytes(metadata.into()))
            + elements
                .map(|element| size_bytes(element.as_ref()))
                .sum::<usize>()
    }

    /// Puts it into a file.
    fn save(self, folder: &SpillFolder) -> Result<SpillRun> {
        let (mut around, mut rest) = (Vec::new(), Vec::new());
        Row::of_parts(self.around, self.metadata).save(&mut around);
        let elements = Value::Array(self.elements.collect());
        Row::Tree(doc! {"at": self.at, "elements": elements}).save(&mut rest);
        let mut writer = folder.create()?;
        writer.push(&around, &rest)?;
        let mut file = writer.finish()?;
        file.rest();
        Ok(file)
    }

    fn load(mut file: SpillRun) -> Result<Long> {
        let (mut around, mut rest) = (Vec::new(), Vec::new());
        if !file.next(&mut around, &mut rest)? {
            return Err(damaged());
        }
        let mut rest = Row::load(&rest)?.into_document();
        match (rest.remove("at"), rest.remove("elements")) {
            (Some(Value::Int64(at)), Some(Value::Array(elements))) => {
                let (around, metadata) = Row::load(&around)?.into_parts();
                Ok(Long {
                    around,
                    metadata,
                    elements: elements.into_iter(),
                    at,
                })
            }
            _ => Err(damaged()),
        }
    }

    /// Makes a page of rows. Returns true if it was the last.
    fn give(&mut self, unwind: &Unwind, out: &mut Vec<Row>) -> Result<bool> {
        let mut bytes = 0;
        while out.len() < PAGE_ROWS && bytes < PAGE_BYTES {
            let Some(element) = self.elements.next() else {
                return Ok(true);
            };
            let mut copy = self.around.clone();
            set(&mut copy, unwind.path.parts(), element);
            let row = Row::of_parts(copy, self.metadata.clone());
            let row = unwind.with_index(row, Value::Int64(self.at));
            self.at += 1;
            bytes += row.size_bytes();
            steps(1)?;
            out.push(row);
        }
        Ok(false)
    }
}

impl Unwinding {
    fn unwind_row(&mut self, row: Row, out: &mut Vec<Row>) {
        if self.unwind_bytes(&row, out) {
            return;
        }
        let elements = match reached(row.as_ref(), self.unwind.path.parts()) {
            None | Some(ValueRef::Null | ValueRef::Undefined) => {
                return self.pass(row, out);
            }
            Some(ValueRef::Array(array)) if array.is_empty() => {
                if self.unwind.preserves {
                    let (mut document, metadata) = row.into_parts();
                    remove(&mut document, self.unwind.path.parts());
                    self.pass(Row::of_parts(document, metadata), out);
                }
                return;
            }
            Some(ValueRef::Array(array)) => array.iter().map(ValueRef::to_value).collect::<Vec<_>>(),
            Some(_) => {
                out.push(self.unwind.with_index(row, Value::Null));
                return;
            }
        };
        let (mut around, metadata) = row.into_parts();
        set(&mut around, self.unwind.path.parts(), Value::Null);
        self.long = Some(Long {
            around,
            metadata,
            elements: elements.into_iter(),
            at: 0,
        });
    }

    /// Unwinds a BSON document by copying the bytes around the array and those of each element. Returns false if that is
    /// not enough.
    fn unwind_bytes(&self, row: &Row, out: &mut Vec<Row>) -> bool {
        let (Row::Raw(document), [name], None) = (row, self.unwind.path.parts(), &self.unwind.index) else {
            return false;
        };
        let elements = match document.as_raw().get(name) {
            Some(ValueRef::Array(array)) if !array.is_empty() => array,
            _ => return false,
        };
        // What makes more than a page of rows is not made at once.
        let rows_max = PAGE_ROWS.min(PAGE_BYTES / document.as_raw().as_bytes().len().max(1));
        if is_longer(&elements, rows_max) {
            return false;
        }
        let around = Around::of(document.as_raw(), name);
        out.extend(elements.iter().map(|element| {
            let bytes = match element {
                ValueRef::Document(DocumentRef::Raw(document)) => document.as_bytes().len(),
                ValueRef::Array(ArrayRef::Raw(array)) => array.as_bytes().len(),
                other => size_bytes(other),
            };
            Row::Raw(around.with(bytes, |writer, name| writer.put(name, element)))
        }));
        true
    }

    /// A document without elements, where it is to stay.
    fn pass(&self, row: Row, out: &mut Vec<Row>) {
        if self.unwind.preserves {
            out.push(self.unwind.with_index(row, Value::Null));
        }
    }
}

/// Whether an array has more elements than this.
fn is_longer(array: &ArrayRef<'_>, count: usize) -> bool {
    /// Its type, a digit and the digit's end.
    const ELEMENT_BYTES_MIN: usize = 3;
    match array {
        ArrayRef::Raw(raw) if raw.as_bytes().len() / ELEMENT_BYTES_MIN <= count => false,
        array => array.iter().take(count + 1).count() > count,
    }
}

impl Unwind {
    fn with_index(&self, row: Row, position: Value) -> Row {
        let Some(index) = &self.index else {
            return row;
        };
        let (mut document, metadata) = row.into_parts();
        set(&mut document, index.parts(), position);
        Row::of_parts(document, metadata)
    }
}
