//! `larder user`: the users of a data folder that no server has open, for when nobody can log in, or before the first start.

use anyhow::{Context, Result, bail};
use auth::{Mechanism, RoleName, User, UserCredentials};
use clap::{Args, Subcommand};
use engine::{Engine, EngineOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Memory for the engine: users are few.
const MEMORY_BYTES: usize = 64 << 20;

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
    List(Folder),
    /// Remove a user.
    Remove(NamedUser),
}

/// A data folder.
#[derive(Clone, Debug, Args)]
struct Folder {
    /// A data folder that no server has open.
    #[arg(long, value_name = "DIR", env = "LARDER_DATA", default_value = "data")]
    data: PathBuf,
}

/// A user of a data folder.
#[derive(Clone, Debug, Args)]
struct NamedUser {
    /// The user's name.
    name: String,
    /// The database that the user belongs to.
    #[arg(long, value_name = "NAME", default_value = "admin")]
    database: String,
    #[command(flatten)]
    folder: Folder,
}

/// Does what is asked.
pub async fn run(options: &UserOptions) -> Result<()> {
    match &options.action {
        UserAction::Add { user, roles } => add(user, roles).await,
        UserAction::Password(user) => change_password(user).await,
        UserAction::List(folder) => list(folder).await,
        UserAction::Remove(user) => {
            let engine = user.folder.open_existing().await?;
            engine.drop_user(&user.database, &user.name).await?;
            Ok(engine.close().await?)
        }
    }
}

async fn add(named: &NamedUser, roles: &[String]) -> Result<()> {
    let roles = roles.iter().map(|role| {
        let (name, database) = role.split_once('@').unwrap_or((role, &named.database));
        RoleName::new(name, database)
    });
    let user = User {
        database: named.database.clone(),
        name: named.name.clone(),
        uuid: uuid::Uuid::new_v4().into_bytes(),
        roles: roles.collect(),
        credentials: credentials(&named.name)?,
        custom_data: None,
    };
    let engine = named.folder.open().await?;
    engine.create_user(user).await?;
    Ok(engine.close().await?)
}

async fn change_password(named: &NamedUser) -> Result<()> {
    let engine = named.folder.open_existing().await?;
    let Some(user) = engine.user(&named.database, &named.name) else {
        bail!("there is no user {} of database {}", named.name, named.database);
    };
    let credentials = credentials(&named.name)?;
    let user = User {
        credentials,
        ..Arc::unwrap_or_clone(user)
    };
    engine.replace_user(user).await?;
    Ok(engine.close().await?)
}

async fn list(folder: &Folder) -> Result<()> {
    let engine = folder.open_existing().await?;
    let mut out = std::io::stdout().lock();
    for user in engine.all_users() {
        let roles: Vec<String> = user.roles.iter().map(ToString::to_string).collect();
        writeln!(out, "{}@{} {}", user.name, user.database, roles.join(" "))?;
    }
    drop(out);
    Ok(engine.close().await?)
}

/// What is kept of the password that is read.
fn credentials(name: &str) -> Result<UserCredentials> {
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .context("cannot read the password from standard input")?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        bail!("give the password as the first line of standard input; it cannot be empty");
    }
    Ok(User::derive_credentials(name, password, Mechanism::ALL.as_ref())?)
}

impl Folder {
    /// Opens the folder; it is made where it does not exist.
    async fn open(&self) -> Result<Engine> {
        let options = EngineOptions {
            folder: self.data.clone(),
            memory_bytes: MEMORY_BYTES,
        };
        let opened = Engine::open(&options).await;
        opened.with_context(|| format!("cannot open the data folder {}", self.data.display()))
    }

    async fn open_existing(&self) -> Result<Engine> {
        if !self.data.exists() {
            bail!("there is no data folder {}", self.data.display());
        }
        self.open().await
    }
}
