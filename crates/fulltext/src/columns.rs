//! The values of entries by column, read without their documents.

use crate::entry::{Key, Number};
use crate::error::Result;
use crate::lookup::Lookup;
use crate::mask::Mask;
use crate::reader::{Reader, each};
use crate::schema::column;
use tantivy::DocId;
use tantivy::columnar::{Cardinality, Column, ColumnType, StrColumn};
use tantivy::{u64_to_f64, u64_to_i64};

/// Entries that are shown together.
const TOGETHER: usize = 1024;

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
}

/// The columns of some keys in one part of the index. Values are shown as bits: those of two entries of a part are the same where
/// their values are.
pub struct Columns {
    columns: Vec<Option<OneColumn>>,
}

struct OneColumn {
    bits: Column<u64>,
    kind: Kind,
}

enum Kind {
    Signed,
    Unsigned,
    Float,
    Text(StrColumn),
}

impl std::fmt::Debug for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Columns({})", self.columns.len())
    }
}

/// The values of some entries in one column.
#[derive(Debug, Default)]
pub struct Block {
    first: Vec<Option<u64>>,
    /// Where each entry's values begin in `all`, if some have more than one.
    starts: Vec<usize>,
    all: Vec<u64>,
    has_many: bool,
}

impl Block {
    /// The values of the entry at this place.
    pub fn values(&self, at: usize) -> &[u64] {
        match self.has_many {
            true => &self.all[self.starts[at]..self.starts[at + 1]],
            false => self.first[at].as_slice(),
        }
    }
}

impl Columns {
    /// Reads the values of these entries in the column at this place.
    pub fn read(&self, column: usize, entries: &[DocId], block: &mut Block) {
        block.first.clear();
        block.first.resize(entries.len(), None);
        block.has_many = false;
        let Some(column) = &self.columns[column] else {
            return;
        };
        if column.bits.get_cardinality() != Cardinality::Multivalued {
            column.bits.first_vals(entries, &mut block.first);
            return;
        }
        block.has_many = true;
        block.starts.clear();
        block.all.clear();
        for entry in entries {
            block.starts.push(block.all.len());
            block.all.extend(column.bits.values_for_doc(*entry));
        }
        block.starts.push(block.all.len());
    }

    /// What bits in the column at this place stand for.
    pub fn value(&self, column: usize, bits: u64) -> Result<Option<Value>> {
        let Some(column) = &self.columns[column] else {
            return Ok(None);
        };
        Ok(Some(match &column.kind {
            Kind::Signed => Value::Number(Number::Integer(u64_to_i64(bits))),
            // Such a column is made where a number is beyond what has a sign; no field has any.
            Kind::Unsigned => Value::Number(Number::Integer(i64::try_from(bits).unwrap_or(i64::MAX))),
            Kind::Float => Value::Number(Number::Float(u64_to_f64(bits))),
            Kind::Text(texts) => {
                let mut text = String::new();
                texts.ord_to_str(bits, &mut text)?;
                Value::Text(text)
            }
        }))
    }
}

impl Reader {
    /// The columns of these keys in a part of the index, of which there are [`Reader::segments`].
    pub fn columns(&self, part: usize, keys: &[Key]) -> Result<Columns> {
        let segment = self.searcher.segment_reader(part as u32);
        let columns = keys.iter().map(|key| {
            let name = column(*key);
            let types = [ColumnType::I64, ColumnType::U64, ColumnType::F64];
            let fast = segment.fast_fields();
            if let Some((bits, kind)) = fast.u64_lenient_for_type(Some(&types), &name)? {
                let kind = match kind {
                    ColumnType::I64 => Kind::Signed,
                    ColumnType::U64 => Kind::Unsigned,
                    _ => Kind::Float,
                };
                return Ok(Some(OneColumn { bits, kind }));
            }
            Ok(fast.str(&name)?.map(|texts| OneColumn {
                bits: texts.ords().clone(),
                kind: Kind::Text(texts),
            }))
        });
        Ok(Columns {
            columns: columns.collect::<Result<_>>()?,
        })
    }

    /// The entries of a part that match, some at a time, until `found` wants no more.
    pub fn entries(
        &self,
        part: usize,
        lookup: &Lookup,
        mask: &Mask,
        found: &mut dyn FnMut(&[DocId]) -> bool,
    ) -> Result<()> {
        let segment = self.searcher.segment_reader(part as u32);
        let weight = self.weight(lookup)?;
        let mut entries = Vec::with_capacity(TOGETHER);
        let mut goes_on = true;
        each(&*weight, part, segment, mask, &mut |entry| {
            entries.push(entry);
            if entries.len() == TOGETHER {
                goes_on = found(&entries);
                entries.clear();
            }
            goes_on
        })?;
        if goes_on && !entries.is_empty() {
            found(&entries);
        }
        Ok(())
    }
}
