//! The table of commands.

use super::*;
use auth::Action;
use std::collections::HashMap;
use std::sync::LazyLock;

macro_rules! run {
    ($module:ident) => {
        |call| Box::pin($module::run(call))
    };
    ($module:ident :: $function:ident) => {
        |call| Box::pin($module::$function(call))
    };
}

const fn anyone(name: &'static str, run: Run) -> Command {
    Command::new(name, Access::Anyone, run)
}

const fn logged_in(name: &'static str, run: Run) -> Command {
    Command::new(name, Access::LoggedIn, run)
}

const fn cluster(name: &'static str, action: Action, run: Run) -> Command {
    Command::new(name, Access::Cluster(action), run)
}

const fn database(name: &'static str, action: Action, run: Run) -> Command {
    Command::new(name, Access::Database(action), run)
}

const fn collection(name: &'static str, action: Action, run: Run) -> Command {
    Command::new(name, Access::Collection(action), run).on_collection()
}

static COMMANDS: &[Command] = &[
    // Saying hello and logging in.
    anyone("hello", run!(hello))
        .aliases(&["isMaster", "ismaster"])
        .hello()
        .stable(),
    anyone("ping", run!(ping)).stable(),
    anyone("buildInfo", run!(build_info)).aliases(&["buildinfo"]),
    anyone("whatsmyuri", run!(whats_my_uri)),
    anyone("connectionStatus", run!(connection_status)),
    anyone("listCommands", run!(list_commands)),
    anyone("saslStart", run!(sasl::start)).stable(),
    anyone("saslContinue", run!(sasl::proceed)).stable(),
    anyone("authenticate", run!(authenticate)).stable(),
    anyone("logout", run!(logout)),
    // Documents.
    collection("find", Action::Find, run!(find))
        .or_uuid()
        .stable()
        .reads()
        .reads_snapshots(),
    // What it reads besides documents asks for other rights.
    logged_in("aggregate", run!(aggregate))
        .on_collection()
        .stable()
        .reads()
        .reads_snapshots()
        .writes(),
    collection("count", Action::Find, run!(count))
        .or_uuid()
        .stable()
        .reads(),
    collection("distinct", Action::Find, run!(distinct))
        .or_uuid()
        .reads()
        .reads_snapshots(),
    collection("mapReduce", Action::Find, run!(map_reduce))
        .aliases(&["mapreduce"])
        .reads()
        .writes(),
    collection("insert", Action::Insert, run!(insert))
        .stable()
        .retryable(),
    collection("update", Action::Update, run!(update))
        .stable()
        .retryable(),
    collection("delete", Action::Remove, run!(delete))
        .stable()
        .retryable(),
    logged_in("findAndModify", run!(find_and_modify))
        .aliases(&["findandmodify"])
        .on_collection()
        .stable()
        .retryable(),
    logged_in("bulkWrite", run!(bulk_write)).stable().retryable(),
    logged_in("explain", run!(explain)).stable().reads(),
    logged_in("getMore", run!(get_more))
        .on_collection()
        .stable()
        .reads_snapshots(),
    logged_in("killCursors", run!(kill_cursors))
        .on_collection()
        .stable(),
    // Collections and databases.
    logged_in("create", run!(create))
        .on_collection()
        .stable()
        .writes(),
    collection("drop", Action::DropCollection, run!(drop))
        .stable()
        .writes(),
    collection("collMod", Action::CollMod, run!(coll_mod))
        .stable()
        .writes(),
    collection(
        "convertToCapped",
        Action::ConvertToCapped,
        run!(convert_to_capped),
    )
    .writes(),
    logged_in("cloneCollectionAsCapped", run!(clone_collection_as_capped))
        .on_collection()
        .writes(),
    logged_in("renameCollection", run!(rename_collection))
        .on_collection()
        .writes(),
    collection("collStats", Action::CollStats, run!(coll_stats)).aliases(&["collstats"]),
    logged_in("dataSize", run!(data_size))
        .aliases(&["datasize"])
        .on_collection(),
    collection("validate", Action::Validate, run!(validate)),
    // Of which databases is said by an argument.
    logged_in("validateDBMetadata", run!(validate_db_metadata)),
    collection("compact", Action::Compact, run!(compact)),
    // Of what one may use, the names are told without a right to list.
    logged_in("listCollections", run!(list_collections)).stable(),
    database("dropDatabase", Action::DropDatabase, run!(drop_database))
        .stable()
        .writes(),
    database("dbStats", Action::DbStats, run!(db_stats)).aliases(&["dbstats"]),
    database("dbHash", Action::DbHash, run!(db_hash)).aliases(&["dbhash"]),
    // Which collection it reads is known only then.
    logged_in("filemd5", run!(file_md5)),
    logged_in("listDatabases", run!(list_databases)).stable(),
    // Indexes and plans.
    collection("createIndexes", Action::CreateIndex, run!(create_indexes))
        .stable()
        .writes(),
    database(
        "checkMetadataConsistency",
        Action::CheckMetadataConsistency,
        run!(check_metadata_consistency),
    ),
    collection("listIndexes", Action::ListIndexes, run!(list_indexes))
        .or_uuid()
        .stable(),
    collection("dropIndexes", Action::DropIndex, run!(drop_indexes))
        .aliases(&["deleteIndexes"])
        .stable()
        .writes(),
    collection("reIndex", Action::ReIndex, run!(re_index)),
    collection(
        "setIndexCommitQuorum",
        Action::CreateIndex,
        run!(set_index_commit_quorum),
    )
    .writes(),
    collection(
        "createSearchIndexes",
        Action::CreateSearchIndexes,
        run!(search_indexes::create),
    ),
    collection(
        "listSearchIndexes",
        Action::ListSearchIndexes,
        run!(search_indexes::list),
    ),
    collection(
        "updateSearchIndex",
        Action::UpdateSearchIndex,
        run!(search_indexes::update),
    ),
    collection(
        "dropSearchIndex",
        Action::DropSearchIndex,
        run!(search_indexes::remove),
    ),
    collection("planCacheClear", Action::PlanCacheWrite, run!(plan_cache::clear)),
    collection(
        "planCacheListFilters",
        Action::PlanCacheIndexFilter,
        run!(plan_cache::list_filters),
    ),
    collection(
        "planCacheSetFilter",
        Action::PlanCacheIndexFilter,
        run!(plan_cache::set_filter),
    ),
    collection(
        "planCacheClearFilters",
        Action::PlanCacheIndexFilter,
        run!(plan_cache::clear_filters),
    ),
    logged_in("profile", run!(profile)),
    // Sessions.
    logged_in("startSession", run!(sessions::start)),
    logged_in("endSessions", run!(sessions::end)).stable(),
    logged_in("refreshSessions", run!(sessions::refresh)).stable(),
    logged_in("killSessions", run!(kill_sessions)),
    cluster(
        "killAllSessions",
        Action::KillAnySession,
        run!(kill_sessions::all),
    ),
    cluster(
        "killAllSessionsByPattern",
        Action::KillAnySession,
        run!(kill_sessions::by_pattern),
    ),
    logged_in("abortTransaction", run!(abort_transaction))
        .stable()
        .writes(),
    logged_in("commitTransaction", run!(abort_transaction::commit))
        .stable()
        .writes(),
    // Users.
    database("createUser", Action::CreateUser, run!(create_user)).writes(),
    logged_in("updateUser", run!(update_user)).writes(),
    database("dropUser", Action::DropUser, run!(drop_user)).writes(),
    database("dropAllUsersFromDatabase", Action::DropUser, run!(drop_user::all)).writes(),
    logged_in("usersInfo", run!(users_info)),
    logged_in("rolesInfo", run!(roles_info)),
    database("createRole", Action::CreateRole, run!(create_role)).writes(),
    logged_in("updateRole", run!(create_role::update)).writes(),
    database("dropRole", Action::DropRole, run!(drop_role)).writes(),
    database("dropAllRolesFromDatabase", Action::DropRole, run!(drop_role::all)).writes(),
    logged_in("grantPrivilegesToRole", run!(grant_to_role)).writes(),
    logged_in("revokePrivilegesFromRole", run!(grant_to_role::revoke)).writes(),
    logged_in("grantRolesToRole", run!(grant_to_role::roles)).writes(),
    logged_in("revokeRolesFromRole", run!(grant_to_role::revoke_roles)).writes(),
    logged_in("grantRolesToUser", run!(grant_roles)).writes(),
    logged_in("revokeRolesFromUser", run!(grant_roles::revoke)).writes(),
    cluster(
        "invalidateUserCache",
        Action::InvalidateUserCache,
        run!(invalidate_user_cache),
    ),
    // The server.
    cluster("serverStatus", Action::ServerStatus, run!(server_status)),
    cluster("shutdown", Action::Shutdown, run!(shutdown)),
    cluster("fsync", Action::Fsync, run!(fsync)),
    cluster("fsyncUnlock", Action::Unlock, run!(fsync::unlock)),
    cluster("top", Action::Top, run!(top)),
    cluster("lockInfo", Action::ServerStatus, run!(lock_info)),
    cluster("connPoolStats", Action::ConnPoolStats, run!(conn_pool_stats)),
    cluster("dropConnections", Action::DropConnections, run!(drop_connections)),
    logged_in("features", run!(features)),
    cluster("logRotate", Action::LogRotate, run!(log_rotate)),
    cluster("hostInfo", Action::HostInfo, run!(host_info)),
    cluster("getParameter", Action::GetParameter, run!(get_parameter)),
    cluster("setParameter", Action::SetParameter, run!(get_parameter::set)),
    cluster(
        "setFeatureCompatibilityVersion",
        Action::SetFeatureCompatibilityVersion,
        run!(set_feature_compatibility_version),
    )
    .writes(),
    cluster("getLog", Action::GetLog, run!(get_log)),
    cluster("getCmdLineOpts", Action::GetCmdLineOpts, run!(get_cmd_line_opts)),
    logged_in("currentOp", run!(current_op)),
    // One's own operations anybody may end.
    logged_in("killOp", run!(kill_op)),
    // What only replica sets and clusters do.
    cluster("replSetGetStatus", Action::ReplSetGetStatus, run!(standalone)),
    cluster("replSetGetConfig", Action::ReplSetGetConfig, run!(standalone)),
    cluster(
        "replSetInitiate",
        Action::ReplSetConfigure,
        run!(standalone::initiate),
    ),
    cluster("replSetReconfig", Action::ReplSetConfigure, run!(standalone)),
    cluster("replSetFreeze", Action::ReplSetStateChange, run!(standalone)),
    cluster("replSetMaintenance", Action::ReplSetStateChange, run!(standalone)),
    cluster("replSetStepDown", Action::ReplSetStateChange, run!(standalone)),
    cluster("replSetSyncFrom", Action::ReplSetStateChange, run!(standalone)),
    cluster(
        "replSetAbortPrimaryCatchUp",
        Action::ReplSetStateChange,
        run!(standalone),
    ),
    cluster(
        "appendOplogNote",
        Action::AppendOplogNote,
        run!(standalone::append_note),
    )
    .writes(),
    cluster(
        "getDefaultRWConcern",
        Action::GetDefaultRWConcern,
        run!(standalone::get_default_concern),
    ),
    cluster(
        "setDefaultRWConcern",
        Action::SetDefaultRWConcern,
        run!(standalone::set_default_concern),
    )
    .writes(),
    cluster(
        "setQuerySettings",
        Action::QuerySettings,
        run!(standalone::set_query_settings),
    ),
    cluster(
        "removeQuerySettings",
        Action::QuerySettings,
        run!(standalone::remove_query_settings),
    ),
    cluster(
        "setUserWriteBlockMode",
        Action::SetUserWriteBlockMode,
        run!(standalone::set_write_block),
    ),
    cluster(
        "analyzeShardKey",
        Action::AnalyzeShardKey,
        run!(standalone::analyze_shard_key),
    ),
    cluster(
        "configureQueryAnalyzer",
        Action::ConfigureQueryAnalyzer,
        run!(standalone::configure_query_analyzer),
    ),
    anyone("configureFailPoint", run!(configure_fail_point)).for_tests(),
    // Drivers look at how a command that the stable API does not have is refused.
    anyone("testVersion2", run!(ping)).for_tests(),
];

/// Every name, aliases too, and its command.
static BY_NAME: LazyLock<HashMap<&'static str, (&'static Command, &'static str)>> = LazyLock::new(|| {
    let names = |command: &'static Command| {
        std::iter::once(command.name)
            .chain(command.aliases.iter().copied())
            .map(move |name| (name, (command, name)))
    };
    COMMANDS.iter().flat_map(names).collect()
});

pub(crate) fn find(name: &str) -> Option<(&'static Command, &'static str)> {
    BY_NAME.get(name).copied()
}

/// All commands.
pub(crate) fn all() -> impl Iterator<Item = &'static Command> {
    COMMANDS.iter()
}
