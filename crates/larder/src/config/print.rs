//! `larder config print`: the settings with which a server would start, and where each comes from.

use super::{ByteSize, ServeOptions, Settings};
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use std::fmt::Write as _;
use std::io::Write as _;
use std::num::{NonZeroU32, NonZeroUsize};

/// What is done with the configuration.
#[derive(Clone, Debug, Args)]
pub struct ConfigOptions {
    #[command(subcommand)]
    action: ConfigAction,
}

#[derive(Clone, Debug, Subcommand)]
enum ConfigAction {
    /// Print the settings of `serve` with these flags, variables and file, as TOML; each line says where it comes from. A setting that
    /// is wrong is an error.
    Print(Box<ServeOptions>),
}

/// Does what is asked.
pub fn run(options: &ConfigOptions) -> Result<()> {
    let ConfigAction::Print(options) = &options.action;
    let text = described(options)?;
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

fn described(options: &ServeOptions) -> Result<String> {
    let settings = table(&options.settings()?.into())?;
    let given = table(options)?;
    let file = table(&options.file()?)?;
    let name = options
        .config
        .as_ref()
        .map_or_else(String::new, |path| path.display().to_string());
    let mut text = String::new();
    for (key, value) in &settings {
        let origin = match (given.contains_key(key), file.contains_key(key)) {
            (true, _) => "given",
            (false, true) => name.as_str(),
            _ => "default",
        };
        writeln!(text, "{key} = {value} # {origin}")?;
    }
    Ok(text)
}

/// What is set, by the flags' names.
fn table(options: &ServeOptions) -> Result<toml::Table> {
    toml::Table::try_from(options).context("the settings cannot be written as TOML")
}

/// All settings as they could be given; those that are not set, and have no value that could be written, are left out.
impl From<Settings> for ServeOptions {
    fn from(settings: Settings) -> ServeOptions {
        let (certificate, key, authorities, optional) = match settings.tls {
            Some(files) => (
                Some(files.certificate),
                Some(files.key),
                files.client_authorities.clone(),
                files.client_authorities.map(|_| files.client_optional),
            ),
            None => (None, None, None, None),
        };
        let (database, collection) = settings.syslog_collection;
        let size = |bytes: u64| usize::try_from(bytes).ok().map(ByteSize);
        ServeOptions {
            data: Some(settings.data),
            memory: Some(ByteSize(settings.memory_bytes)),
            mongo_listen: Some(settings.mongo_listen),
            couch_listen: Some(settings.couch_listen),
            elastic_listen: Some(settings.elastic_listen),
            riak_listen: Some(settings.riak_listen),
            riak_pb_listen: Some(settings.riak_pb_listen),
            riak_siblings_max: u32::try_from(settings.riak_siblings_max)
                .ok()
                .and_then(NonZeroU32::new),
            riak_delete_mode: Some(settings.riak_delete_mode),
            http_listen: Some(settings.http_listen),
            syslog_listen: Some(settings.syslog_listen),
            syslog_collection: Some(format!("{database}.{collection}")),
            tls_certificate: certificate,
            tls_key: key,
            tls_client_ca: authorities,
            tls_client_optional: optional,
            connections_max: NonZeroUsize::new(settings.connections_max),
            default_max_time_ms: u32::try_from(settings.default_max_time.as_millis()).ok(),
            insecure: Some(settings.insecure),
            no_login: Some(settings.no_login),
            allowed_hosts: Some(settings.allowed_hosts),
            scrub_rate: size(settings.scrub_rate),
            disk_reserve: settings.disk_reserve.and_then(size),
            temporary_max: size(settings.temporary_bytes_max),
            archive_max: size(settings.archive_bytes_max),
            test_commands: Some(settings.test_commands),
            log: Some(settings.log),
            log_format: Some(settings.log_format),
            config: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Listen;

    #[test]
    fn printed_settings_name_their_origin_and_can_be_read_again() {
        let folder = std::env::temp_dir().join(format!("larder-config-{}", std::process::id()));
        std::fs::write(&folder, "memory = \"256m\"\nlog-format = \"json\"\n").unwrap();
        let options = ServeOptions {
            config: Some(folder.clone()),
            mongo_listen: Some(Listen::Off),
            ..ServeOptions::default()
        };
        let text = described(&options).unwrap();
        std::fs::remove_file(&folder).unwrap();
        for line in [
            "mongo-listen = \"off\" # given".to_owned(),
            format!("memory = \"256m\" # {}", folder.display()),
            "data = \"data\" # default".to_owned(),
            "temporary-max = \"64g\" # default".to_owned(),
        ] {
            assert!(text.lines().any(|had| had == line), "{line}\n{text}");
        }
        let again: ServeOptions = toml::from_str(&text).unwrap();
        assert_eq!(again.memory, Some(ByteSize(256 << 20)));
        assert_eq!(again.connections_max, NonZeroUsize::new(20_000));
    }
}
