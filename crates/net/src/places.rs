//! The connections that may be open at once, on all listeners together.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One address may take one place in this many, so that it cannot keep all others out.
const SHARE_OF_ADDRESS: usize = 2;

/// How many connections may be open at once, shared by all listeners that have a copy: each connection takes a descriptor, and
/// the store needs some too. Of these one address has no more than half, unless it is the machine itself.
#[derive(Clone, Debug)]
pub struct Places {
    free: Arc<Semaphore>,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    max: usize,
}

/// A place that is taken, until this is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionPlace {
    _permit: OwnedSemaphorePermit,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    address: IpAddr,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// All are taken.
    Full,
    /// The address has as many as it may have.
    OfAddress(usize),
}

impl Places {
    /// `max` places, all free.
    pub fn new(max: usize) -> Places {
        let max = max.min(Semaphore::MAX_PERMITS);
        Places {
            free: Arc::new(Semaphore::new(max)),
            taken: Arc::default(),
            max,
        }
    }

    /// All places, free or not.
    pub fn max(&self) -> usize {
        self.max
    }

    /// Those that are free.
    pub fn free(&self) -> usize {
        self.free.available_permits()
    }

    /// A place for a client at this address.
    pub(crate) fn take(&self, address: IpAddr) -> Result<ConnectionPlace, NoPlace> {
        // To a listener on `[::]`, clients that use IPv4 have mapped addresses.
        let address = address.to_canonical();
        let permit = self.free.clone().try_acquire_owned();
        let permit = permit.map_err(|_| NoPlace::Full)?;
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = taken.entry(address).or_default();
        let most = self.max.div_ceil(SHARE_OF_ADDRESS);
        if *of_address >= most && !address.is_loopback() {
            return Err(NoPlace::OfAddress(most));
        }
        *of_address += 1;
        Ok(ConnectionPlace {
            _permit: permit,
            taken: self.taken.clone(),
            address,
        })
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_address) = taken.get_mut(&self.address) {
            *of_address -= 1;
            if *of_address == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, last).into()
    }

    #[test]
    fn one_address_leaves_places_for_others() {
        let places = Places::new(5);
        let held: Vec<ConnectionPlace> = (0..3).map_while(|_| places.take(address(1)).ok()).collect();
        assert_eq!(held.len(), 3);
        assert_eq!(places.take(address(1)).unwrap_err(), NoPlace::OfAddress(3));
        let other = places.take(address(2));
        assert!(other.is_ok());
        drop(held);
        assert!(places.take(address(1)).is_ok());
        drop(other);
        assert_eq!(places.free(), 5);
        assert!(places.taken.lock().is_ok_and(|taken| taken.is_empty()));
    }

    #[test]
    fn the_machine_itself_may_have_all() {
        let mapped = Ipv4Addr::LOCALHOST.to_ipv6_mapped();
        for local in [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(mapped)] {
            let places = Places::new(3);
            let held: Vec<ConnectionPlace> = (0..3).map_while(|_| places.take(local).ok()).collect();
            assert_eq!(held.len(), 3);
            assert_eq!(places.take(local).unwrap_err(), NoPlace::Full);
        }
    }
}
