//! `larder user`: the users of a running server, or of a data folder that no server has open, for when nobody can log in, or before
//! the first start.

mod folder;
mod server;

use crate::http_server::HttpServer;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use std::io::Write;
use std::path::PathBuf;

/// Whose users, and what is done with them.
#[derive(Clone, Debug, Args)]
pub struct UserOptions {
    /// What to do.
    #[command(subcommand)]
    action: UserAction,
}

#[derive(Clone, Debug, Subcommand)]
enum UserAction {
    /// Add a user. The password is the first line of standard input.
    Add {
        #[command(flatten)]
        user: NamedUser,
        /// The user's role, ROLE or ROLE@DATABASE; may be given several times.
        #[arg(long = "role", value_name = "ROLE", default_value = "root@admin")]
        roles: Vec<String>,
    },
    /// Give a user another password: the first line of standard input.
    Password(NamedUser),
    /// List the users with their roles.
    List(Place),
    /// Remove a user.
    Remove(NamedUser),
}

/// Where the users are.
#[derive(Clone, Debug, Args)]
struct Place {
    /// A data folder that no server has open.
    #[arg(long, value_name = "DIR", env = "LARDER_DATA", default_value = "data")]
    data: PathBuf,
    /// A running server's own HTTP, as http[s]://[user:password@]host:port, in place of a folder; if users exist, with one who may
    /// manage them (role userAdminAnyDatabase).
    #[arg(long, value_name = "URL")]
    server: Option<HttpServer>,
}

/// A user.
#[derive(Clone, Debug, Args)]
struct NamedUser {
    /// The user's name.
    name: String,
    /// The database that the user belongs to.
    #[arg(long, value_name = "NAME", default_value = "admin")]
    database: String,
    #[command(flatten)]
    place: Place,
}

/// Does what is asked.
pub async fn run(options: &UserOptions) -> Result<()> {
    let place = match &options.action {
        UserAction::List(place) => place,
        UserAction::Add { user, .. } | UserAction::Password(user) | UserAction::Remove(user) => &user.place,
    };
    match &place.server {
        Some(server) => server::run(server, &options.action).await,
        None => folder::run(&place.data, &options.action).await,
    }
}

/// A role and its database.
fn role<'a>(given: &'a str, user: &'a NamedUser) -> (&'a str, &'a str) {
    given.split_once('@').unwrap_or((given, &user.database))
}

/// The first line of standard input.
fn password() -> Result<String> {
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .context("cannot read the password from standard input")?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        bail!("give the password as the first line of standard input; it cannot be empty");
    }
    Ok(password.to_owned())
}

/// A line of the list.
fn list(name: &str, database: &str, roles: &[String]) -> Result<()> {
    Ok(writeln!(
        std::io::stdout(),
        "{name}@{database} {}",
        roles.join(" ")
    )?)
}
