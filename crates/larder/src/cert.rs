//! `larder cert`: a certificate signed by itself, for a first try of TLS.

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::Args;
use jiff::Timestamp;
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair};
use std::fs::OpenOptions;
use std::io::Write;
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The most bytes of a part of a name between its dots (RFC 1035, section 2.3.4).
const LABEL_BYTES_MAX: usize = 63;

/// The most bytes of a whole name (RFC 1035, section 2.3.4, as text).
const NAME_BYTES_MAX: usize = 253;

const DAY_SECONDS: i64 = 86_400;

/// What the certificate is for.
#[derive(Clone, Debug, Args)]
pub struct CertOptions {
    /// A name or address under which clients reach the server; may be given several times.
    #[arg(
        long = "host",
        value_name = "NAME",
        default_values = ["localhost", "127.0.0.1", "::1"]
    )]
    hosts: Vec<String>,
    /// For how many days it holds.
    #[arg(long, value_name = "DAYS", default_value_t = 365, value_parser = clap::value_parser!(u16).range(1..=3650))]
    days: u16,
    /// Where the certificate is written. Clients that know this file trust the server.
    #[arg(long, value_name = "FILE", default_value = "larder-cert.pem")]
    certificate: PathBuf,
    /// Where its private key is written.
    #[arg(long, value_name = "FILE", default_value = "larder-key.pem")]
    key: PathBuf,
}

/// Makes both files; existing ones stay as they are.
pub fn run(options: &CertOptions) -> Result<()> {
    if let Some(wrong) = options.hosts.iter().find(|host| !is_host(host)) {
        bail!("'{wrong}' is neither a name such as db.example or *.example nor an address");
    }
    for path in [&options.certificate, &options.key] {
        if path.exists() {
            bail!("{} is there already: name another file", path.display());
        }
    }
    if std::path::absolute(&options.certificate)? == std::path::absolute(&options.key)? {
        bail!("--certificate and --key name one file: name two");
    }
    let mut params =
        CertificateParams::new(options.hosts.clone()).context("a host is neither a name nor an address")?;
    let first = options.hosts.first().map_or("larder", String::as_str);
    params.distinguished_name.push(DnType::CommonName, first);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    (params.not_before, params.not_after) = validity(Timestamp::now().as_second(), options.days)?;
    let key = KeyPair::generate().context("no key could be made")?;
    let certificate = params.self_signed(&key).context("no certificate could be made")?;
    write(&options.key, 0o600, &pem("PRIVATE KEY", key.serialized_der()))?;
    if let Err(error) = write(
        &options.certificate,
        0o644,
        &pem("CERTIFICATE", certificate.der()),
    ) {
        // Half of a pair is of no use, and would be in the way of the next try.
        let _ = std::fs::remove_file(&options.key);
        return Err(error);
    }
    let (certificate, key) = (options.certificate.display(), options.key.display());
    eprintln!("wrote {certificate} and {key}");
    eprintln!("larder serve --tls-certificate {certificate} --tls-key {key}");
    Ok(())
}

/// An address, or a name of DNS (RFC 1123, section 2.1), the first part of which may be a star; underscores occur, although they
/// are no part of the rule.
fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=LABEL_BYTES_MAX).contains(&label.len())
            && label.bytes().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let name = text.strip_prefix("*.").unwrap_or(text);
    let is_name = text.len() <= NAME_BYTES_MAX && name.split('.').all(is_label);
    text.parse::<IpAddr>().is_ok() || is_name
}

/// From when to when it holds if it is made at this moment, in seconds since 1970. Clocks differ, so it holds from the day before.
fn validity(now: i64, days: u16) -> Result<(time::OffsetDateTime, time::OffsetDateTime)> {
    let moment = |seconds| {
        time::OffsetDateTime::from_unix_timestamp(seconds)
            .ok()
            .context("the clock is beyond all dates")
    };
    Ok((
        moment(now - DAY_SECONDS)?,
        moment(now + i64::from(days) * DAY_SECONDS)?,
    ))
}

/// RFC 7468: base64 in lines of 64.
fn pem(kind: &str, der: &[u8]) -> String {
    let digits = BASE64_STANDARD.encode(der);
    let mut out = format!("-----BEGIN {kind}-----\n");
    let mut rest = digits.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(64));
        out.push_str(line);
        out.push('\n');
        rest = after;
    }
    out.push_str(&format!("-----END {kind}-----\n"));
    out
}

fn write(path: &Path, mode: u32, text: &str) -> Result<()> {
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path);
    let mut file = opened.with_context(|| format!("cannot make {}", path.display()))?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // A file that is not whole would be in the way of the next try.
        let _ = std::fs::remove_file(path);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(folder: &Path, host: &str, certificate: &str, key: &str) -> CertOptions {
        CertOptions {
            hosts: vec![host.to_owned()],
            days: 1,
            certificate: folder.join(certificate),
            key: folder.join(key),
        }
    }

    #[test]
    fn hosts_are_names_or_addresses() {
        for host in [
            "localhost",
            "db.example",
            "*.example",
            "a_b.c-d",
            "127.0.0.1",
            "::1",
            "fe80::1",
        ] {
            assert!(is_host(host), "{host}");
        }
        let long = ["a".repeat(LABEL_BYTES_MAX + 1), "a.".repeat(NAME_BYTES_MAX) + "a"];
        let wrong = [
            "",
            "*",
            "a b",
            "db:7070",
            "http://db",
            "a..b",
            "db.",
            "-a",
            "a.*",
            "bücher",
        ];
        for host in wrong.into_iter().chain(long.iter().map(String::as_str)) {
            assert!(!is_host(host), "{host}");
        }
    }

    #[test]
    fn a_certificate_holds_for_all_of_its_days() {
        let late_in_the_day = 1_800_000_000 - 1_800_000_000 % DAY_SECONDS + DAY_SECONDS - 1;
        let (begin, end) = validity(late_in_the_day, 1).unwrap();
        assert_eq!(begin.unix_timestamp(), late_in_the_day - DAY_SECONDS);
        assert_eq!(end.unix_timestamp(), late_in_the_day + DAY_SECONDS);
    }

    #[test]
    fn both_files_are_made_or_none() {
        let folder = std::env::temp_dir().join(format!("larder-cert-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        for (host, certificate, key, said) in [
            ("", "c.pem", "k.pem", "'' is neither"),
            ("localhost", "c.pem", "./c.pem", "name one file"),
            ("localhost", "missing/c.pem", "k.pem", "cannot make"),
        ] {
            let error = run(&options(&folder, host, certificate, key)).unwrap_err();
            assert!(error.to_string().contains(said), "{error:#}");
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{said}");
        }
        run(&options(&folder, "localhost", "c.pem", "k.pem")).unwrap();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
