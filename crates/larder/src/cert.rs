//! `larder cert`: a certificate signed by itself, for a first try of TLS.

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::Args;
use jiff::civil::Date;
use jiff::{ToSpan, Zoned};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

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

/// Makes both files; those that are there stay as they are.
pub fn run(options: &CertOptions) -> Result<()> {
    for path in [&options.certificate, &options.key] {
        if path.exists() {
            bail!("{} is there already: name another file", path.display());
        }
    }
    let mut params =
        CertificateParams::new(options.hosts.clone()).context("a host is neither a name nor an address")?;
    let first = options.hosts.first().map_or("larder", String::as_str);
    params.distinguished_name.push(DnType::CommonName, first);
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let today = Zoned::now().date();
    // Clocks differ: it holds from yesterday on.
    params.not_before = midnight(today.checked_sub(1.day())?)?;
    params.not_after = midnight(today.checked_add(i64::from(options.days).days())?)?;
    let key = KeyPair::generate().context("no key could be made")?;
    let certificate = params.self_signed(&key).context("no certificate could be made")?;
    write(&options.key, 0o600, &pem("PRIVATE KEY", key.serialized_der()))?;
    write(
        &options.certificate,
        0o644,
        &pem("CERTIFICATE", certificate.der()),
    )?;
    let (certificate, key) = (options.certificate.display(), options.key.display());
    eprintln!("wrote {certificate} and {key}");
    eprintln!("larder serve --tls-certificate {certificate} --tls-key {key}");
    Ok(())
}

fn midnight(date: Date) -> Result<time::OffsetDateTime> {
    let (month, day) = (u8::try_from(date.month())?, u8::try_from(date.day())?);
    Ok(rcgen::date_time_ymd(i32::from(date.year()), month, day))
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
    written.with_context(|| format!("cannot write {}", path.display()))
}
