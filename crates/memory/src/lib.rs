//! The memory that grows with what clients ask: one budget, of which all code that keeps something takes a share.
//!
//! A [`Budget`] is divided among [`Holder`]s by fixed limits, so that none of them can starve another: however much idle
//! cursors keep, messages can still be read. Code that keeps bytes for a client has a [`Share`] of its kind of holder, says
//! how many bytes it keeps, and is told when there is no room. Then it writes to a file what it keeps
//! ([`Share::set`]), waits ([`Share::wait`]), or gives up with [`Full`], whose text names the limit and the option. Code that learns
//! only by reading what an answer will take waits for its turn ([`Budget::turn_to_answer`]).
//!
//! What must hold: a share is given back when it is dropped; what a holder has together never exceeds its limit, except
//! for what [`Share::charge`] adds, and for one share at a time that is larger than the limit by itself.
//!
//! Left to others: how many bytes something takes, and which error a client is given.

mod budget;
mod holder;
mod pool;
mod share;
mod turn;

pub use budget::{Budget, Usage};
pub use holder::{Holder, SMALL_REQUEST_BYTES};
pub use share::{Full, Share};
pub use turn::Turn;

use std::time::Duration;

/// How long a request waits for memory that others hold, before it is refused.
pub const WAIT_MAX: Duration = Duration::from_secs(30);
