//! The commands: one table, one file each.
//!
//! A file has the parsing of its command's arguments, the call of the engine, and the shape of the reply. Whether a
//! client may run it, and which of the arguments that all commands share it takes, stands in the [`table`].

mod abort_transaction;
mod aggregate;
mod aggregate_rules;
mod authenticate;
mod build_info;
mod bulk_write;
mod check_metadata_consistency;
mod clone_collection_as_capped;
mod coll_mod;
mod coll_stats;
mod collation;
mod compact;
mod configure_fail_point;
mod conn_pool_stats;
mod connection_status;
mod convert_to_capped;
mod count;
mod create;
mod create_indexes;
mod create_role;
mod create_user;
mod current_op;
mod cursor;
mod data_size;
mod db_hash;
mod db_stats;
mod delete;
mod distinct;
mod drop;
mod drop_connections;
mod drop_database;
mod drop_indexes;
mod drop_role;
mod drop_user;
mod explain;
mod features;
mod file_md5;
mod find;
mod find_and_modify;
mod fsync;
mod get_cmd_line_opts;
mod get_log;
mod get_more;
mod get_parameter;
mod grant_roles;
mod grant_to_role;
mod hello;
mod host_info;
mod insert;
mod invalidate_user_cache;
mod kill_cursors;
mod kill_op;
mod kill_sessions;
mod list_collections;
mod list_commands;
mod list_databases;
mod list_indexes;
mod listing_filter;
mod lock_info;
mod log_rotate;
mod logout;
mod map_reduce;
mod ping;
mod pipeline_access;
mod plan_cache;
mod profile;
mod re_index;
mod rename_collection;
mod roles;
mod roles_info;
mod sasl;
mod search_indexes;
mod server_status;
mod sessions;
mod set_feature_compatibility_version;
mod set_index_commit_quorum;
mod shutdown;
mod stable_api;
mod standalone;
mod table;
mod top;
mod update;
mod update_user;
mod users_info;
mod validate;
mod validate_db_metadata;
mod whats_my_uri;
mod writes;

use crate::access::Access;
use crate::arguments::{ReadConcern, ReadLevel};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use futures::future::BoxFuture;

pub(crate) use stable_api::check as check_stable_api;
pub(crate) use table::{all, find};

/// Runs a call of a command.
pub(crate) type Run = for<'c, 's> fn(&'c mut Call<'s>) -> BoxFuture<'c, Result<Reply>>;

/// A command as the table has it.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) access: Access,
    /// Whether it names a collection, by its first argument unless it is known to do so otherwise.
    pub(crate) is_on_collection: bool,
    /// Whether it takes a collection by its UUID too, and then checks itself what may be done with that.
    pub(crate) takes_uuid: bool,
    /// Whether it belongs to the stable API.
    pub(crate) is_stable: bool,
    /// Whether it is a write that a driver may send again.
    pub(crate) is_retryable: bool,
    /// Whether it reads documents, at any level of read concern.
    pub(crate) reads: bool,
    /// Whether it can read a moment that is kept.
    pub(crate) reads_snapshots: bool,
    pub(crate) takes_write_concern: bool,
    /// Whether it may come in an OP_QUERY.
    pub(crate) is_hello: bool,
    pub(crate) is_for_tests: bool,
    pub(crate) run: Run,
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Command {
    const fn new(name: &'static str, access: Access, run: Run) -> Command {
        Command {
            name,
            aliases: &[],
            access,
            is_on_collection: false,
            takes_uuid: false,
            is_stable: false,
            is_retryable: false,
            reads: false,
            reads_snapshots: false,
            takes_write_concern: false,
            is_hello: false,
            is_for_tests: false,
            run,
        }
    }

    const fn aliases(mut self, aliases: &'static [&'static str]) -> Command {
        self.aliases = aliases;
        self
    }

    const fn on_collection(mut self) -> Command {
        self.is_on_collection = true;
        self
    }

    const fn or_uuid(mut self) -> Command {
        self.takes_uuid = true;
        self
    }

    const fn stable(mut self) -> Command {
        self.is_stable = true;
        self
    }

    const fn reads(mut self) -> Command {
        self.reads = true;
        self
    }

    const fn reads_snapshots(mut self) -> Command {
        self.reads_snapshots = true;
        self
    }

    const fn writes(mut self) -> Command {
        self.takes_write_concern = true;
        self
    }

    const fn retryable(mut self) -> Command {
        self.is_retryable = true;
        self.writes()
    }

    const fn hello(mut self) -> Command {
        self.is_hello = true;
        self
    }

    const fn for_tests(mut self) -> Command {
        self.is_for_tests = true;
        self
    }

    /// Refuses read concerns that the command does not take.
    pub(crate) fn check_read_concern(&self, called: &str, read_concern: &ReadConcern) -> Result<()> {
        let takes = match read_concern.level {
            ReadLevel::Snapshot(_) => self.reads_snapshots,
            ReadLevel::Local | ReadLevel::Linearizable => self.reads,
        };
        match read_concern.name.as_deref() {
            None | Some("local") => Ok(()),
            Some(_) if takes => Ok(()),
            Some(level) => Err(CommandError::invalid_options(format!(
                "Command {called} does not support {{ readConcern: {{ level: \"{level}\" }} }}"
            ))),
        }
    }
}
