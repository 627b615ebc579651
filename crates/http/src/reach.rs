//! Which servers a client may ask.
//!
//! Addresses are looked at when a name has been resolved, so a name that leads elsewhere the second time is of no use.

use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use tower_service::Service;

/// Which servers a client may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All.
    Anywhere,
    /// Those that everybody could ask: none on the machine itself or in its own networks.
    Public,
}

impl Reach {
    /// Whether a server at this address may be asked.
    pub fn allows(self, address: IpAddr) -> bool {
        self == Reach::Anywhere
            || match address.to_canonical() {
                IpAddr::V4(address) => is_public_v4(address),
                IpAddr::V6(address) => is_public_v6(address),
            }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        // This network, shared by carriers, of protocols, of benchmarks, reserved.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [.., high, low] = segments;
    let embedded = || {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // IPv4 addresses within: mapped by a translator, or the old compatible ones, of which `::` and `::1` are two.
        [0x64, 0xFF9B, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0, 0, ..] => embedded(),
        // Translated locally, documentation.
        [0x64, 0xFF9B, 1, ..] | [0x2001, 0xDB8, ..] => false,
        [0x2002, high, low, ..] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        _ => !(address.is_multicast() || address.is_unique_local() || address.is_unicast_link_local()),
    }
}

/// Finds the addresses of names, and leaves out those that may not be asked.
#[derive(Clone, Debug)]
pub(crate) struct Resolver {
    system: GaiResolver,
    reach: Reach,
}

impl Resolver {
    pub(crate) fn new(reach: Reach) -> Resolver {
        Resolver {
            system: GaiResolver::new(),
            reach,
        }
    }
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        self.system.poll_ready(cx)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (reach, resolving) = (self.reach, self.system.call(name));
        Box::pin(async move {
            let all: Vec<SocketAddr> = resolving.await?.collect();
            let allowed: Vec<SocketAddr> = all
                .iter()
                .copied()
                .filter(|address| reach.allows(address.ip()))
                .collect();
            match allowed.is_empty() && !all.is_empty() {
                true => Err(io::Error::other("the name leads to private addresses alone")),
                false => Ok(allowed.into_iter()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_machine_and_its_networks_are_private_in_every_form() {
        for private in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
        ] {
            let address: IpAddr = private.parse().expect("an address");
            assert!(!Reach::Public.allows(address), "{private}");
            assert!(Reach::Anywhere.allows(address), "{private}");
        }
        for public in ["8.8.8.8", "172.32.0.1", "2606:4700::1", "64:ff9b::808:808"] {
            let address: IpAddr = public.parse().expect("an address");
            assert!(Reach::Public.allows(address), "{public}");
        }
    }
}
