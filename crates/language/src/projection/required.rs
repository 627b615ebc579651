//! Which fields a projection needs: what an index must hold to answer a query without the documents.

use super::Projection;
use super::node::{Action, Fields};
use super::parse::Mode;

impl Projection {
    /// The paths whose values give the result; `None` if the whole document is needed.
    pub fn required_fields(&self) -> Option<Vec<String>> {
        if self.mode == Mode::Exclusion {
            return None;
        }
        let mut paths = Vec::new();
        collect(&self.fields, "", &mut paths).then_some(paths)
    }
}

/// False where a value is computed or cut out of an array.
fn collect(fields: &Fields, prefix: &str, paths: &mut Vec<String>) -> bool {
    fields.entries.iter().all(|(name, action)| {
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        match action {
            Action::Include => {
                paths.push(path);
                true
            }
            Action::Exclude => true,
            Action::Fields(below) => collect(below, &path, paths),
            Action::Compute(_) | Action::Slice(_) | Action::ElemMatch(_) | Action::Positional => false,
        }
    })
}
