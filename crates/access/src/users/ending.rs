//! Ends the accounts whose documents are gone.

use super::SALT;
use crate::database::Database;
use crate::error::Result;
use crate::ids::name_of_user;
use crate::user;
use engine::{Context, DeleteStatement, Engine, Namespace, Record, WriteOptions};
use std::sync::Arc;
use value::{Value, ValueRef, doc};

/// The member of an account's custom data that names the database whose document made it.
pub(super) const MADE_IN: &str = "database";

/// How many accounts one statement names.
const ENDED_AT_ONCE: usize = 1_000;

/// Ends the account of this name. An administrator's account does not depend on a document, and only loses the roles that one gave it.
pub(super) async fn end(engine: &Engine, name: &str) -> Result<()> {
    match user::account(engine, name) {
        Some(account) if engine.is_root(&account) => forget_roles(engine, &account).await,
        Some(account) => Ok(engine.drop_user(&account.database, &account.name).await?),
        None => Ok(()),
    }
}

/// Ends the accounts that the documents of this database made, which is about to be dropped. Accounts with roles of MongoDB's protocol
/// stay, and lose what the documents gave them.
pub async fn end_all(engine: &Engine, database: &Database) -> Result<()> {
    if !database.is_users {
        return Ok(());
    }
    let named = names(database).await?;
    let accounts = named.iter().filter_map(|name| user::account(engine, name));
    end_these(engine, accounts).await
}

/// Ends the accounts that documents of the database of this name made, which was dropped: also those of documents that were written
/// meanwhile.
pub async fn end_marked(engine: &Engine, database: &str) -> Result<()> {
    let all = engine.all_users().into_iter();
    end_these(engine, all.filter(|account| made_in(account) == Some(database))).await
}

/// Ends the accounts that documents of databases other than `users` made, which the settings named before. The documents keep the keys
/// of their passwords, so each user can log in again once the settings name that database.
pub(super) async fn end_others(engine: &Engine, users: &str) -> Result<()> {
    let is_other = |account: &Arc<auth::User>| made_in(account).is_some_and(|database| database != users);
    end_these(engine, engine.all_users().into_iter().filter(is_other)).await
}

fn made_in(account: &auth::User) -> Option<&str> {
    let mark = account.custom_data.as_ref()?.get(MADE_IN)?;
    mark.as_ref().as_str()
}

/// Ends accounts; those that have roles of the MongoDB protocol lose what documents gave them.
async fn end_these(engine: &Engine, accounts: impl Iterator<Item = Arc<auth::User>>) -> Result<()> {
    let mut ended = Vec::new();
    for account in accounts {
        match account.roles.is_empty() {
            true => ended.push(Value::from(account.id())),
            false => forget_roles(engine, &account).await?,
        }
    }
    for ids in ended.chunks(ENDED_AT_ONCE) {
        drop_all(engine, ids.to_vec()).await?;
    }
    Ok(())
}

/// Drops the accounts of these ids in one statement, so that they share a flush.
async fn drop_all(engine: &Engine, ids: Vec<Value>) -> Result<()> {
    let statement = DeleteStatement {
        filter: doc! {"_id": doc! {"$in": Value::Array(ids)}},
        ..DeleteStatement::default()
    };
    let accounts = Namespace::new("admin", "system.users");
    let deleted = engine
        .delete(
            &Context::default(),
            &accounts,
            vec![statement],
            &WriteOptions::default(),
        )
        .await?;
    match deleted.failures.into_iter().next() {
        Some(failure) => Err(failure.error.into()),
        None => Ok(()),
    }
}

async fn forget_roles(engine: &Engine, account: &auth::User) -> Result<()> {
    let data = account.custom_data.as_ref();
    if data.is_none_or(|data| data.get("roles").is_none() && data.get(MADE_IN).is_none()) {
        return Ok(());
    }
    let forget = |user: &mut auth::User| -> Result<()> {
        let mut data = user.custom_data.take().unwrap_or_default();
        drop(data.remove("roles"));
        drop(data.remove(MADE_IN));
        drop(data.remove(SALT));
        user.custom_data = Some(data).filter(|data| *data != doc! {});
        Ok(())
    };
    engine.change_user(&account.database, &account.name, forget).await
}

/// The names of the users whose documents a database has.
async fn names(database: &Database) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut note = |record: &Record| {
        let id = record.document.as_raw().get("_id").and_then(ValueRef::as_str);
        names.extend(id.and_then(name_of_user).map(str::to_owned));
    };
    database.each_document(&mut note).await?;
    Ok(names)
}
