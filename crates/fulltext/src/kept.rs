//! What was found in a part of the index, for searches that ask the same of it again: a part never changes, but that entries are
//! taken away from it.

use crate::mask::Mask;
use crate::reader::Reader;
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// The bytes that are kept of each part; all is forgotten where there would be more.
const BYTES_MAX: usize = 512 << 10;
/// What one takes besides its name and itself.
const ONE_BYTES: usize = 128;

/// Under which name something is kept, and how many entries had been taken away when it was found.
type Name = (u32, String);

/// What is kept of one part.
#[derive(Default)]
pub(crate) struct Kept {
    by_name: HashMap<Name, Arc<dyn Any + Send + Sync>>,
    bytes: usize,
}

impl Kept {
    fn put(&mut self, name: Name, what: Arc<dyn Any + Send + Sync>, bytes: usize) {
        let bytes = bytes + name.1.len() + ONE_BYTES;
        if bytes > BYTES_MAX {
            return;
        }
        if self.bytes + bytes > BYTES_MAX {
            *self = Kept::default();
        }
        if self.by_name.insert(name, what).is_none() {
            self.bytes += bytes;
        }
    }
}

impl Reader {
    /// What was kept of a part of the index under this name, as the part is now; `None` where `mask` leaves out some of its entries.
    pub fn kept<T: Any + Send + Sync>(&self, part: usize, mask: &Mask, name: &str) -> Option<Arc<T>> {
        let segment = self.searcher.segment_reader(part as u32);
        if mask.is_of(part) {
            return None;
        }
        let open = self.opened.of(segment).ok()?;
        let name = (segment.num_deleted_docs(), name.to_owned());
        let kept = open.kept.lock().by_name.get(&name).cloned()?;
        kept.downcast().ok()
    }

    /// Keeps what was found in a part of the index; it takes `bytes` of memory. Two questions of one name must have one answer.
    pub fn keep<T: Any + Send + Sync>(
        &self,
        part: usize,
        mask: &Mask,
        name: &str,
        what: Arc<T>,
        bytes: usize,
    ) {
        let segment = self.searcher.segment_reader(part as u32);
        if mask.is_of(part) {
            return;
        }
        // A search that cannot open the columns fails when it reads them; here they are only the place to keep something.
        if let Ok(open) = self.opened.of(segment) {
            let name = (segment.num_deleted_docs(), name.to_owned());
            open.kept.lock().put(name, what, bytes);
        }
    }
}
