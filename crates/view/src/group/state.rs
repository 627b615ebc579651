//! What the head of a group's pages says: how far it has come, and where its trees begin.
//!
//! Bytes: `docs/format.md`, "Views".

use crate::codec::{Reader, put_sized};
use crate::tree::{Child, Position, put_summary, take_summary};
use bytes::Bytes;
use store::Sequence;
use value::varint;

/// The form of the head.
const VERSION: u8 = 1;

/// The state of a group as of its last commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupState {
    /// The position in the collection's change log that the rows have reached.
    pub sequence: Sequence,
    /// Whether the rows ever held all changes that there were. Only then may they answer in place of a newer version's.
    pub complete: bool,
    /// The number of the next page.
    pub next_page: u64,
    /// The design document as JSON text.
    pub design: String,
    /// For each document its rows.
    pub documents: Option<Child>,
    /// The rows of each view.
    pub views: Vec<Option<Child>>,
}

impl GroupState {
    /// The bytes that are stored.
    pub fn encode(&self) -> Bytes {
        let mut out = vec![VERSION, u8::from(self.complete)];
        self.sequence.encode(&mut out);
        varint::put(self.next_page, &mut out);
        put_sized(self.design.as_bytes(), &mut out);
        varint::put(self.views.len() as u64, &mut out);
        put_root(self.documents.as_ref(), &mut out);
        self.views
            .iter()
            .for_each(|root| put_root(root.as_ref(), &mut out));
        out.into()
    }

    /// Reads what was stored; `None` if it does not have that form.
    pub fn decode(bytes: &Bytes) -> Option<GroupState> {
        let mut reader = Reader::new(bytes.clone());
        if reader.byte()? != VERSION {
            return None;
        }
        let complete = reader.byte()? != 0;
        let (sequence, next_page) = (reader.sequence()?, reader.varint()?);
        let design = String::from_utf8(reader.sized()?.to_vec()).ok()?;
        let views = reader.count()?;
        let documents = take_root(&mut reader)?;
        let views = (0..views)
            .map(|_| take_root(&mut reader))
            .collect::<Option<_>>()?;
        Some(GroupState {
            sequence,
            complete,
            next_page,
            design,
            documents,
            views,
        })
    }
}

fn put_root(root: Option<&Child>, out: &mut Vec<u8>) {
    out.push(u8::from(root.is_some()));
    if let Some(root) = root {
        varint::put(root.page, out);
        put_summary(&root.summary, out);
    }
}

/// The outer option is whether it could be read.
fn take_root(reader: &mut Reader) -> Option<Option<Child>> {
    if reader.byte()? == 0 {
        return Some(None);
    }
    Some(Some(Child {
        // Nothing is before the first row, so where the root begins need not be known.
        first: Position::default(),
        page: reader.varint()?,
        summary: take_summary(reader)?,
    }))
}
