//! The users of a data folder.

use super::{NamedUser, UserAction};
use crate::folder::check_existing;
use anyhow::{Context, Result, bail};
use auth::{Mechanism, RoleName, User, UserCredentials};
use engine::{Engine, EngineOptions};
use std::path::Path;

/// Memory for the engine: users are few.
const MEMORY_BYTES: usize = 64 << 20;

pub(super) async fn run(folder: &Path, action: &UserAction) -> Result<()> {
    match action {
        UserAction::Add { user, roles } => add(folder, user, roles).await,
        UserAction::Password(user) => change_password(folder, user).await,
        UserAction::List(_) => list(folder).await,
        UserAction::Remove(user) => {
            let engine = open_existing(folder).await?;
            engine.drop_user(&user.database, &user.name).await?;
            Ok(engine.close().await?)
        }
    }
}

async fn add(folder: &Path, named: &NamedUser, roles: &[String]) -> Result<()> {
    let roles = roles.iter().map(|given| {
        let (name, database) = super::role(given, named);
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
    let engine = open(folder).await?;
    engine.create_user(user).await?;
    Ok(engine.close().await?)
}

async fn change_password(folder: &Path, named: &NamedUser) -> Result<()> {
    let engine = open_existing(folder).await?;
    let Some(user) = engine.user(&named.database, &named.name) else {
        bail!("there is no user {} of database {}", named.name, named.database);
    };
    let credentials = credentials(&named.name)?;
    let change = |user: &mut User| -> Result<(), engine::Error> {
        user.credentials = credentials;
        Ok(())
    };
    engine.change_user(&user.database, &user.name, change).await?;
    Ok(engine.close().await?)
}

async fn list(folder: &Path) -> Result<()> {
    let engine = open_existing(folder).await?;
    for user in engine.all_users() {
        let roles: Vec<String> = user.roles.iter().map(ToString::to_string).collect();
        super::list(&user.name, &user.database, &roles)?;
    }
    Ok(engine.close().await?)
}

/// What the server keeps of the password that is read.
fn credentials(name: &str) -> Result<UserCredentials> {
    let password = super::password()?;
    Ok(User::derive_credentials(
        name,
        &password,
        Mechanism::ALL.as_ref(),
    )?)
}

/// Opens the folder, which is made if it does not exist.
async fn open(folder: &Path) -> Result<Engine> {
    let options = EngineOptions {
        folder: folder.to_owned(),
        memory_bytes: MEMORY_BYTES,
    };
    let opened = Engine::open(&options).await;
    opened.with_context(|| {
        format!(
            "cannot open the data folder {}; users of a running server are reached by --server",
            folder.display()
        )
    })
}

async fn open_existing(folder: &Path) -> Result<Engine> {
    check_existing(folder)?;
    open(folder).await
}
