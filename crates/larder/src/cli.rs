//! The command line.

use crate::backup::BackupOptions;
use crate::cert::CertOptions;
use crate::check::CheckOptions;
use crate::config::{ConfigOptions, ServeOptions};
use crate::export::ExportOptions;
use crate::given;
use crate::help::{CompletionsOptions, ManualOptions};
use crate::import::{self, ImportOptions};
use crate::repair::RepairOptions;
use crate::restore::RestoreOptions;
use crate::status::StatusOptions;
use crate::user::UserOptions;
use crate::verify::VerifyOptions;
use clap::error::ErrorKind;
use clap::{ArgMatches, Command as Parsed, CommandFactory, Error, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// One document store behind the protocols that you already have clients for.
#[derive(Debug, Parser)]
#[command(name = "larder", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve a data folder until SIGTERM or SIGINT; SIGHUP reads the configuration again.
    Serve(Box<ServeOptions>),
    /// Look at the settings with which a server would start.
    Config(ConfigOptions),
    /// Import NDJSON, JSON arrays, CSV or lines of text, plain or compressed.
    Import(Box<ImportOptions>),
    /// Export a collection as NDJSON, a JSON array or CSV.
    Export(Box<ExportOptions>),
    /// Add, list and remove users, or change their passwords: of a running server, or of a data folder that no server has open.
    User(UserOptions),
    /// Say what a running server does, in figures.
    Status(StatusOptions),
    /// Say whether a running server is well, as plugins of Nagios do: exit codes 0 to 3, one line with figures.
    Check(CheckOptions),
    /// Make a certificate that is signed by itself, and its key, for a first try of TLS.
    Cert(CertOptions),
    /// Gather what a device writes and send it to a server, each record once; SIGHUP reads the configuration again.
    Agent(agent::cli::Options),
    /// Back up a running server, or a data folder that no server has open; what did not change is not copied again.
    Backup(BackupOptions),
    /// Restore a backup into a new data folder; or list backups, or check them.
    Restore(RestoreOptions),
    /// Read all of a data folder that no server has open, and say what is damaged.
    Verify(VerifyOptions),
    /// Make a data folder usable again that is damaged.
    Repair(RepairOptions),
    /// Write what a shell needs to complete commands and options.
    Completions(CompletionsOptions),
    /// Write the manual pages, made of the same text as `--help`.
    Manual(ManualOptions),
}

impl Cli {
    /// Reads a command line; refuses options that exclude each other, or would be of no effect.
    pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Cli, Error> {
        let mut command = Cli::command();
        let given = command.try_get_matches_from_mut(words)?;
        check(&mut command, &given)?;
        Cli::from_arg_matches(&given).map_err(|error| error.format(&mut command))
    }
}

/// Checks the options of the innermost command, which is the one that is run.
fn check(command: &mut Parsed, given: &ArgMatches) -> Result<(), Error> {
    if let Some((name, inner)) = given.subcommand()
        && let Some(command) = command.find_subcommand_mut(name)
    {
        return check(command, inner);
    }
    let misplaced = match command.get_name() {
        "import" => import::misplaced(command, given),
        _ => None,
    };
    match misplaced.or_else(|| given::two_holders(given)) {
        Some(reason) => Err(command.error(ErrorKind::ArgumentConflict, reason)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &str) -> Option<String> {
        let words = words.split(' ').map(OsString::from);
        Cli::read(words).err().map(|error| error.to_string())
    }

    #[test]
    fn options_that_exclude_each_other_or_say_nothing_are_refused() {
        for (words, reason) in [
            (
                "export --collection a.b --data d --server mongodb://h",
                "--data names a folder in place",
            ),
            (
                "import --collection a.b --data d --server mongodb://h f",
                "--data names a folder in place",
            ),
            (
                "backup b --data d --server http://h",
                "--data names a folder in place",
            ),
            (
                "user list --data d --server http://h",
                "--data names a folder in place",
            ),
            (
                "import --collection a.b --buckets b f",
                "--buckets says nothing without --from",
            ),
            (
                "import --collection a.b --bucket-types b f",
                "--bucket-types says nothing without --from",
            ),
            (
                "import --collection a.b --state s f",
                "--state says nothing without --from",
            ),
            (
                "import --collection a.b --riak http://h f",
                "--riak says nothing without --from",
            ),
            (
                "import --from riak --types a=int http://h",
                "--types says nothing with --from",
            ),
            (
                "import --from riak --skip-existing http://h",
                "--skip-existing says nothing with --from",
            ),
            (
                "import --from riak --server mongodb://h http://h",
                "--server says nothing with --from",
            ),
            (
                "import --from riak --collection a.b http://h",
                "cannot be used with",
            ),
            ("backup b --rate 0", "--rate"),
            ("backup b --rate 20", "the least is 16k"),
            ("restore b --list --backup x", "cannot be used with"),
            ("check --timeout 0", "--timeout"),
            ("serve --connections-max 0", "--connections-max"),
            ("serve --log inof", "'inof' is no level"),
            ("config print --log info,bogus=xx", "--log"),
        ] {
            let error = refused(&format!("larder {words}")).unwrap_or_else(|| panic!("{words}"));
            assert!(error.contains(reason), "{words}: {error}");
        }
    }

    #[test]
    fn options_that_belong_together_are_accepted() {
        for words in [
            "export --collection a.b --data d",
            "user list --server http://h",
            "import --from riak --buckets a,b --bucket-types t --state s --reject r --riak http://h http://h",
            "import --collection a.b --types a=int --reject r --quiet f",
            "backup b --rate 20m",
            "serve --log info,mongo=debug --connections-max 1",
        ] {
            assert_eq!(refused(&format!("larder {words}")), None, "{words}");
        }
    }

    fn shown_variables(command: &Parsed) -> Vec<String> {
        let is_shown = |option: &&clap::Arg| option.get_env().is_some() && !option.is_hide_env_values_set();
        let names_a_server = |option: &&clap::Arg| {
            let names = option.get_value_names().unwrap_or_default();
            names.iter().any(|name| ["URL", "URI"].contains(&name.as_str()))
        };
        let own = command.get_arguments().filter(is_shown).filter(names_a_server);
        let own = own.map(|option| format!("{} --{}", command.get_name(), option.get_id()));
        own.chain(command.get_subcommands().flat_map(shown_variables))
            .collect()
    }

    #[test]
    fn help_shows_no_password_that_a_variable_holds() {
        assert_eq!(shown_variables(&Cli::command()), Vec::<String>::new());
    }
}
