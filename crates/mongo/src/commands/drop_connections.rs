//! `dropConnections`: ends connections to other servers of a replica set or a cluster, of which there are none.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    let addresses = arguments.strings("hostAndPort")?;
    arguments.finish()?;
    let addresses = addresses.ok_or_else(|| arguments.missing("hostAndPort"))?;
    for address in addresses {
        if !is_address(address) {
            return Err(CommandError::failed_to_parse(format!(
                "'{address}' is no address of the form host:port"
            )));
        }
    }
    Ok(Document::new().into())
}

/// Whether text is a host, with a port or without one; an address of IPv6 stands in brackets.
fn is_address(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, "")) => (host, None),
            Some((host, port)) => match port.strip_prefix(':') {
                Some(port) => (host, Some(port)),
                None => return false,
            },
            None => return false,
        },
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    !host.is_empty() && (text.starts_with('[') || !host.contains(']')) && port.is_none_or(is_port)
}

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn addresses_are_hosts_with_ports_or_without() {
        for good in ["a", "a:1", "127.0.0.1:65535", "[::1]", "[::1]:27017"] {
            assert!(is_address(good), "{good}");
        }
        for bad in [
            "", ":1", "a:", "a:0", "a:65536", "a:b", "::1", "[::1", "[::1]1", "[]:1", "a]:1",
        ] {
            assert!(!is_address(bad), "{bad}");
        }
    }
}
