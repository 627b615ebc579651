//! The commonest projections: top-level fields of the document that are kept, left out or computed. What is kept is copied as
//! bytes, and no document is built.

use super::BUILDER;
use super::node::{Action, Fields};
use super::parse::Mode;
use crate::Result;
use crate::expression::building::Building;
use crate::expression::{Evaluated, Expression, Variables, size_bytes};
use value::raw::DocumentWriter;
use value::{ArrayRef, DocumentRef, RawDocument, ValueRef};

/// With more fields than this, a document is built: each of its own is compared with all of these.
const FIELDS_MAX: usize = 64;

/// Names of fields that are copied, or of those that are not; and computed fields.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    names: Vec<String>,
    keeps: bool,
    computed: Vec<(String, Expression)>,
}

/// Where a field of a projected document comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldSource {
    /// It is the document's own.
    Kept,
    /// It is the computed one of this place.
    Computed(usize),
    /// There is none.
    Absent,
}

impl Copied {
    /// The copy that does what the projection says, if copying and computing at the top is enough.
    pub(super) fn of(fields: &Fields, mode: Mode) -> Option<Copied> {
        if fields.entries.len() > FIELDS_MAX {
            return None;
        }
        let keeps = mode == Mode::Inclusion;
        let mut names = Vec::with_capacity(fields.entries.len());
        let mut computed = Vec::new();
        for (name, action) in &fields.entries {
            match (action, keeps) {
                (Action::Include, true) | (Action::Exclude, false) => names.push(name.clone()),
                (Action::Include, false) | (Action::Exclude, true) => {}
                (Action::Compute(expression), _) => computed.push((name.clone(), expression.clone())),
                _ => return None,
            }
        }
        Some(Copied {
            names,
            keeps,
            computed,
        })
    }

    /// Where the first field of a name comes from.
    pub(super) fn source_of(&self, name: &str) -> FieldSource {
        if let Some(at) = self.computed.iter().position(|(known, _)| known == name) {
            return FieldSource::Computed(at);
        }
        match self.names.iter().any(|known| known == name) == self.keeps {
            true => FieldSource::Kept,
            false => FieldSource::Absent,
        }
    }

    /// The computed fields in the order of the specification.
    pub(super) fn computed(&self) -> &[(String, Expression)] {
        &self.computed
    }

    pub(super) fn write(
        &self,
        document: RawDocument<'_>,
        variables: &Variables,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        // Computed in the order of the specification before anything is written, as they come in the document's where it has
        // fields of their names.
        let root = DocumentRef::Raw(document);
        let mut building = Building::new(BUILDER);
        let values = self.computed.iter().map(|(_, computed)| {
            let value = computed.find(root, variables)?;
            building.add(written_bytes(&value))?;
            Ok(value)
        });
        let mut values = values.collect::<Result<Vec<Evaluated<'_>>>>()?;
        let mut writer = DocumentWriter::new(out);
        if self.keeps || values.is_empty() {
            writer.put_named(document, &self.names, self.keeps);
        } else {
            self.replace(document, &mut values, &mut writer);
        }
        for ((name, _), value) in self.computed.iter().zip(&values) {
            if let Some(value) = value.get() {
                writer.put(name, value);
            }
        }
        writer.finish();
        Ok(())
    }

    /// Writes all fields but those left out; a computed one takes the place of that of its name, and is missing afterwards.
    fn replace(
        &self,
        document: RawDocument<'_>,
        values: &mut [Evaluated<'_>],
        writer: &mut DocumentWriter<'_>,
    ) {
        let mut replaced = vec![false; values.len()];
        let mut elements = document.iter();
        while let Some((element, name)) = elements.next_raw() {
            if self.names.iter().any(|known| known.as_bytes() == name) {
                continue;
            }
            let computed = self
                .computed
                .iter()
                .position(|(known, _)| known.as_bytes() == name);
            match computed.filter(|at| !std::mem::replace(&mut replaced[*at], true)) {
                None => writer.put_element(element),
                Some(at) => {
                    let value = std::mem::replace(&mut values[at], Evaluated::Missing);
                    if let Some(value) = value.get() {
                        writer.put(&self.computed[at].0, value);
                    }
                }
            }
        }
    }
}

/// About the bytes that a value takes until it is written, and then.
fn written_bytes(value: &Evaluated<'_>) -> usize {
    match value {
        Evaluated::Missing => 0,
        Evaluated::Borrowed(ValueRef::Document(DocumentRef::Raw(document))) => document.as_bytes().len(),
        Evaluated::Borrowed(ValueRef::Array(ArrayRef::Raw(array))) => array.as_bytes().len(),
        Evaluated::Borrowed(other) => size_bytes(*other),
        Evaluated::Owned(value) => size_bytes(value.as_ref()),
    }
}
