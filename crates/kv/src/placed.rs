//! Values that are written before the commit that names them.

use crate::{Error, rocks};
use bytes::Bytes;

/// A value that was written before the commit that will name it ([`Batch::put_placed`](crate::Batch::put_placed)),
/// so that it need not be kept in memory until then. If no commit names it, it is removed when the last clone is dropped.
#[derive(Clone, Debug)]
pub struct Placed(Place);

#[derive(Clone, Debug)]
enum Place {
    Rocks(rocks::PlacedValue),
    Simulated(Bytes),
}

impl Placed {
    pub(crate) fn rocks(value: rocks::PlacedValue) -> Placed {
        Placed(Place::Rocks(value))
    }

    pub(crate) fn simulated(value: Bytes) -> Placed {
        Placed(Place::Simulated(value))
    }

    /// Reads it back.
    pub fn read(&self) -> Result<Bytes, Error> {
        match &self.0 {
            Place::Rocks(value) => value.read(),
            Place::Simulated(value) => Ok(value.clone()),
        }
    }

    /// The value on the disk. Errors: it was placed in a store in memory, so no other can commit it.
    pub(crate) fn on_disk(&self) -> Result<&rocks::PlacedValue, Error> {
        match &self.0 {
            Place::Rocks(value) => Ok(value),
            Place::Simulated(_) => Err(Error::Engine {
                doing: "committing a placed value",
                cause: "it was placed in another store, in memory".to_owned(),
            }),
        }
    }
}
