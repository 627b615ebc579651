//! Entries on their way to the thread that writes them. The engine lets thousands wait, whatever they take; here their bytes have a
//! bound.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;

/// The bytes that wait; one entry may have more by itself.
const WAITING_BYTES_MAX: usize = 8 << 20;

/// How long room is waited for. The thread that makes it may have ended, which the next commit says.
const ROOM_TIME_MAX: Duration = Duration::from_secs(60);

/// The entries of one writer that wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting(Arc<(Mutex<usize>, Condvar)>);

/// The place of one of them, which others get when it is dropped.
#[derive(Debug)]
pub(crate) struct WaitingPlace {
    of: Waiting,
    bytes: usize,
}

impl Waiting {
    /// Waits until there is room for `bytes` more.
    pub(crate) fn enter(&self, bytes: usize) -> WaitingPlace {
        let (waiting, left) = &*self.0;
        let mut waiting = waiting.lock();
        let is_full = |waiting: &mut usize| *waiting > 0 && *waiting + bytes > WAITING_BYTES_MAX;
        left.wait_while_for(&mut waiting, is_full, ROOM_TIME_MAX);
        *waiting += bytes;
        WaitingPlace {
            of: self.clone(),
            bytes,
        }
    }
}

impl Drop for WaitingPlace {
    fn drop(&mut self) {
        let (waiting, left) = &*self.of.0;
        *waiting.lock() -= self.bytes;
        left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn an_entry_without_room_waits_until_another_has_left() {
        let waiting = Waiting::default();
        let first = waiting.enter(2 * WAITING_BYTES_MAX);
        let (entered, told) = mpsc::channel();
        let other = waiting.clone();
        let thread = std::thread::spawn(move || {
            let place = other.enter(1);
            entered.send(()).expect("somebody listens");
            place
        });
        assert!(told.recv_timeout(Duration::from_millis(50)).is_err());
        drop(first);
        told.recv_timeout(Duration::from_secs(10))
            .expect("it has entered");
        let place = thread.join().expect("a place");
        assert_eq!(*waiting.0.0.lock(), 1);
        drop(place);
        assert_eq!(*waiting.0.0.lock(), 0);
    }
}
