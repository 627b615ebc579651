//! `network_direction`: whether traffic comes into networks, leaves them, stays within or without.

use crate::context::Context;
use crate::error::{Failure, PipelineError, Result, cannot_cast};
use crate::options::{self, Options};
use crate::template::Template;
use std::net::IpAddr;
use value::Value;

/// The processor.
#[derive(Debug)]
pub(crate) struct NetworkDirection {
    source: String,
    destination: String,
    target: String,
    internal: Internal,
    ignores_missing: bool,
}

/// Where it is said which networks are one's own.
#[derive(Debug)]
enum Internal {
    Given(Vec<Template>),
    Field(String),
}

impl NetworkDirection {
    pub(super) fn parse(options: &mut Options) -> options::Result<NetworkDirection> {
        let mut field = |name: &str, usual: &str| -> options::Result<String> {
            Ok(options.optional_text(name)?.unwrap_or_else(|| usual.to_owned()))
        };
        let (source, destination) = (
            field("source_ip", "source.ip")?,
            field("destination_ip", "destination.ip")?,
        );
        let target = field("target_field", "network.direction")?;
        let networks = options.optional_texts("internal_networks")?;
        let internal = match (networks, options.optional_text("internal_networks_field")?) {
            (Some(networks), None) => {
                let templates = networks.iter().map(|network| Template::parse(network));
                Internal::Given(templates.collect::<options::Result<_>>()?)
            }
            (None, Some(field)) => Internal::Field(field),
            (None, None) => {
                let reason = "or [internal_networks_field] must be specified";
                return Err(PipelineError::of("internal_networks", reason));
            }
            (Some(_), Some(_)) => {
                let reason = "and [internal_networks_field] cannot both be used in the same processor";
                return Err(PipelineError::of("internal_networks", reason));
            }
        };
        Ok(NetworkDirection {
            source,
            destination,
            target,
            internal,
            ignores_missing: options.flag("ignore_missing", true)?,
        })
    }

    pub(super) fn run(&self, context: &mut Context) -> Result<()> {
        let Some(networks) = self.networks(context)? else {
            return Ok(());
        };
        let source = context.text(&self.source, self.ignores_missing)?;
        let destination = context.text(&self.destination, self.ignores_missing)?;
        let (Some(source), Some(destination)) = (source, destination) else {
            return Ok(());
        };
        let direction = match (
            is_within(&source, &networks)?,
            is_within(&destination, &networks)?,
        ) {
            (true, true) => "internal",
            (true, false) => "outbound",
            (false, true) => "inbound",
            (false, false) => "external",
        };
        context.set(&self.target, Value::from(direction))
    }

    /// The networks that are one's own; `None` where nothing says it, and that is allowed.
    fn networks(&self, context: &Context) -> Result<Option<Vec<String>>> {
        let field = match &self.internal {
            Internal::Given(templates) => {
                let networks = templates.iter().map(|template| template.render(context));
                return networks.collect::<Result<_>>().map(Some);
            }
            Internal::Field(field) => field,
        };
        let list = match context.get(field) {
            None | Some(Value::Null) if self.ignores_missing => return Ok(None),
            None => context.required(field)?,
            Some(found) => found,
        };
        let list = match list {
            Value::Array(list) => list,
            other => return cannot_cast(field, &other, "java.util.List"),
        };
        let text = |one: Value| match one {
            Value::String(text) => Ok(text),
            other => cannot_cast(field, &other, "java.lang.String"),
        };
        list.into_iter().map(text).collect::<Result<_>>().map(Some)
    }
}

fn address(text: &str) -> Result<IpAddr> {
    let parsed = text.parse::<IpAddr>().map(|address| address.to_canonical());
    parsed.map_err(|_| Failure::new(format!("'{text}' is not an IP string literal.")))
}

/// Whether an address is in one of these networks.
fn is_within(text: &str, networks: &[String]) -> Result<bool> {
    let address = address(text)?;
    for network in networks {
        if is_in(address, network)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an address is in a network, which has a name or is written as its first bits.
fn is_in(ip: IpAddr, network: &str) -> Result<bool> {
    Ok(match network {
        "loopback" => ip.is_loopback(),
        "global_unicast" | "unicast" => {
            !(is_broadcast(ip)
                || ip.is_unspecified()
                || ip.is_loopback()
                || ip.is_multicast()
                || is_link_local(ip))
        }
        "link_local_unicast" => is_link_local(ip),
        "interface_local_multicast" => is_multicast_of(ip, 1),
        "link_local_multicast" => is_multicast_of(ip, 2),
        "multicast" => ip.is_multicast(),
        "unspecified" => ip.is_unspecified(),
        "private" => is_private(ip)?,
        "public" => {
            !(is_private(ip)?
                || ip.is_loopback()
                || ip.is_unspecified()
                || is_link_local(ip)
                || is_multicast_of(ip, 2)
                || is_multicast_of(ip, 1)
                || is_broadcast(ip))
        }
        range => is_in_range(ip, range)?,
    })
}

fn is_broadcast(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V4(ip) if ip.is_broadcast())
}

fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

/// Whether it means several machines, no further away than this: the same interface (1), or the same link (2).
fn is_multicast_of(ip: IpAddr, scope: u16) -> bool {
    match ip {
        IpAddr::V4(ip) => scope == 2 && ip.octets().starts_with(&[224, 0, 0]),
        IpAddr::V6(ip) => {
            ip.is_multicast() && ip.segments().first().is_some_and(|first| first & 0xf == scope)
        }
    }
}

fn is_private(ip: IpAddr) -> Result<bool> {
    for range in ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fd00::/8"] {
        if is_in_range(ip, range)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an address begins with the bits of a range, or is the one that is written in its place.
fn is_in_range(ip: IpAddr, range: &str) -> Result<bool> {
    let Some((first, bits)) = range.split_once('/') else {
        return Ok(ip == address(range)?);
    };
    let invalid = || Failure::new(format!("Invalid IP address/prefix [{range}]"));
    let bits: u32 = bits.parse().map_err(|_| invalid())?;
    match (ip, address(first)?) {
        (IpAddr::V4(_), IpAddr::V4(_)) if bits > 32 => Err(invalid()),
        (IpAddr::V4(ip), IpAddr::V4(first)) => {
            let apart = u32::from(ip) ^ u32::from(first);
            Ok(apart.checked_shr(32 - bits).unwrap_or(0) == 0)
        }
        (IpAddr::V6(_), IpAddr::V6(_)) if bits > 128 => Err(invalid()),
        (IpAddr::V6(ip), IpAddr::V6(first)) => {
            let apart = u128::from(ip) ^ u128::from(first);
            Ok(apart.checked_shr(128 - bits).unwrap_or(0) == 0)
        }
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_in_the_networks_that_are_named() {
        for (ip, network, wanted) in [
            ("10.1.2.3", "private", true),
            ("10.1.2.3", "10.1.0.0/16", true),
            ("10.1.2.3", "10.2.0.0/16", false),
            ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "0.0.0.0/0", true),
            ("10.1.2.3", "fd00::/8", false),
            ("::ffff:10.1.2.3", "10.0.0.0/8", true),
            ("fd00::1", "private", true),
            ("8.8.8.8", "public", true),
            ("169.254.1.1", "public", false),
            ("127.0.0.1", "loopback", true),
            ("224.0.0.1", "link_local_multicast", true),
            ("ff02::1", "link_local_multicast", true),
            ("ff01::1", "interface_local_multicast", true),
            ("255.255.255.255", "unicast", false),
            ("::", "unspecified", true),
            ("2001:db8::1", "2001:db8::/32", true),
        ] {
            let found = is_within(ip, &[network.to_owned()]);
            assert_eq!(found.ok(), Some(wanted), "{ip} {network}");
        }
        for (ip, network) in [
            ("x", "private"),
            ("10.1.2.3", "10.0.0.0/33"),
            ("10.1.2.3", "10.0.0.0/x"),
            ("10.1.2.3", "mine"),
        ] {
            assert!(is_within(ip, &[network.to_owned()]).is_err(), "{ip} {network}");
        }
    }
}
