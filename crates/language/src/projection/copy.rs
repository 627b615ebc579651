//! The commonest projections: fields of the document itself, kept or left out, copied as bytes.

use super::node::{Action, Fields};
use super::parse::Mode;
use value::RawDocument;
use value::raw::DocumentWriter;

/// Names of fields that are copied, or of those that are not.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    names: Vec<String>,
    keeps: bool,
}

impl Copied {
    /// The copy that does what the projection says, if copying is enough.
    pub(super) fn of(fields: &Fields, mode: Mode) -> Option<Copied> {
        let keeps = mode == Mode::Inclusion;
        let mut names = Vec::with_capacity(fields.entries.len());
        for (name, action) in &fields.entries {
            match (action, keeps) {
                (Action::Include, true) | (Action::Exclude, false) => names.push(name.clone()),
                (Action::Include, false) | (Action::Exclude, true) => {}
                _ => return None,
            }
        }
        Some(Copied { names, keeps })
    }

    pub(super) fn write(&self, document: RawDocument<'_>, out: &mut Vec<u8>) {
        let mut writer = DocumentWriter::new(out);
        writer.put_named(document, &self.names, self.keeps);
        writer.finish();
    }
}
