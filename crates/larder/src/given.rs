//! Options that go together or not, judged by what stands on the command line itself: values of variables and defaults are meant
//! for whatever has a use for them.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

/// The other end of a command: a server, or a folder in its place.
const HOLDERS: [&str; 2] = ["server", "data"];

/// Whether an option stands on the command line; false if the command has none of this name.
pub fn is_given(given: &ArgMatches, option: &str) -> bool {
    given.try_contains_id(option).is_ok() && given.value_source(option) == Some(ValueSource::CommandLine)
}

/// The first option on the command line of which this is true.
pub fn find_given<'a>(
    command: &'a Command,
    given: &ArgMatches,
    is_sought: impl Fn(&str) -> bool,
) -> Option<&'a str> {
    let ids = command.get_arguments().map(|argument| argument.get_id().as_str());
    ids.filter(|id| is_given(given, id)).find(|id| is_sought(id))
}

/// An option as it is written.
pub fn flag(id: &str) -> String {
    format!("--{}", id.replace('_', "-"))
}

/// Why a command cannot have both a server and a folder, if it is given both.
pub fn two_holders(given: &ArgMatches) -> Option<String> {
    let are_given = HOLDERS.iter().all(|holder| is_given(given, holder));
    are_given.then(|| "--data names a folder in place of a server: leave it or --server out".to_owned())
}
