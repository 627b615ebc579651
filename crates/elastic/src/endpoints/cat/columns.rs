//! The columns of all lists: in each line a name, what else it is called, and what `help` says of it. `-` stands before those that are
//! shown only where they are asked for, `>` before those that stand at the right, `=` before texts that may be empty.

/// `_cat/aliases`.
pub(super) const ALIASES: &str = "\
alias|a|alias name
index|i,idx|index alias points to
filter|f,fi|filter
routing.index|ri,routingIndex|index routing
routing.search|rs,routingSearch|search routing
is_write_index|w,isWriteIndex|write index";

/// `_cat/allocation`.
pub(super) const ALLOCATION: &str = "\
>shards|s|number of shards on node
>disk.indices|di,diskIndices|disk used by indices
>disk.used|du,diskUsed|disk used by all that is on it
>disk.avail|da,diskAvail|disk available
>disk.total|dt,diskTotal|total capacity of all volumes
>disk.percent|dp,diskPercent|percent disk used
host|h|host of node
ip||ip of node
node|n|name of node";

/// `_cat/count`.
pub(super) const COUNT: &str = "\
epoch|t,time|seconds since 1970-01-01 00:00:00
timestamp|ts,hms,hhmmss|time in HH:MM:SS
count|dc,docs.count,docsCount|the document count";

/// `_cat/fielddata`.
pub(super) const FIELDDATA: &str = "\
id||node id
host|h|host name
ip||ip address
node|n|node name
field|f|field name
>size|s|field data usage";

/// `_cat/health`.
pub(super) const HEALTH: &str = "\
epoch|t,time|seconds since 1970-01-01 00:00:00
timestamp|ts,hms,hhmmss|time in HH:MM:SS
cluster|cl|cluster name
status|st|health status
>node.total|nt,nodeTotal|total number of nodes
>node.data|nd,nodeData|number of nodes that can store data
>shards|t,sh,shards.total,shardsTotal|total number of shards
>pri|p,shards.primary,shardsPrimary|number of primary shards
>relo|r,shards.relocating,shardsRelocating|number of relocating nodes
>init|i,shards.initializing,shardsInitializing|number of initializing nodes
>unassign|u,shards.unassigned,shardsUnassigned|number of unassigned shards
>pending_tasks|pt,pendingTasks|number of pending tasks
>max_task_wait_time|mtwt,maxTaskWaitTime|wait time of longest task pending
>active_shards_percent|asp,activeShardsPercent|active number of shards in percent";

/// `_cat/indices`, before its figures.
pub(super) const INDICES: &str = "\
health|h|current health status
status|s|open/close status
index|i,idx|index name
uuid|id,uuid|index uuid
>pri|p,shards.primary,shardsPrimary|number of primary shards
>rep|r,shards.replica,shardsReplica|number of replica shards
>docs.count|dc,docsCount|available docs
>docs.deleted|dd,docsDeleted|deleted docs
-creation.date|cd|index creation date (millisecond value)
-creation.date.string|cds|index creation date (as string)
>store.size|ss,storeSize|store size of primaries & replicas
>pri.store.size||store size of primaries";

/// `_cat/master`.
pub(super) const MASTER: &str = "\
id||node id
host|h|host name
ip||ip address
node|n|node name";

/// `_cat/nodeattrs`.
pub(super) const ATTRIBUTES: &str = "\
node|name|node name
-id|id,nodeId|unique node id
-pid|p|process id
host|h|host name
ip|i|ip address
-port|po|bound transport port
attr|attr.name|attribute description
value|attr.value|attribute value";

/// `_cat/nodes`, before its figures.
pub(super) const NODES: &str = "\
-id|id,nodeId|unique node id
-pid|p|process id
ip|i|ip address
-port|po|bound transport port
-http_address|http|bound http address
-version|v|es version
-flavor|f|es distribution flavor
-type|t|es distribution type
-build|b|es build hash
-jdk|j|jdk version
->disk.total|dt,diskTotal|total disk space
->disk.used|du,diskUsed|used disk space
->disk.avail|d,da,disk,diskAvail|available disk space
->disk.used_percent|dup,diskUsedPercent|used disk space percentage
->heap.current|hc,heapCurrent|used heap
>heap.percent|hp,heapPercent|used heap ratio
->heap.max|hm,heapMax|max configured heap
->ram.current|rc,ramCurrent|used machine memory
>ram.percent|rp,ramPercent|used machine memory ratio
->ram.max|rm,ramMax|total machine memory
->file_desc.current|fdc,fileDescriptorCurrent|used file descriptors
->file_desc.percent|fdp,fileDescriptorPercent|used file descriptor ratio
->file_desc.max|fdm,fileDescriptorMax|max file descriptors
>cpu|cpu|recent cpu usage
>load_1m|l|1m load avg
>load_5m|l|5m load avg
>load_15m|l|15m load avg
->uptime|u|node uptime
node.role|r,role,nodeRole|m:master eligible node, d:data node, i:ingest node, -:coordinating node only
master|m|*:current master
name|n|node name";

/// `_cat/pending_tasks`.
pub(super) const PENDING_TASKS: &str = "\
>insertOrder|o|task insertion order
>timeInQueue|t|how long task has been in queue
priority|p|task priority
source|s|task source";

/// `_cat/plugins`.
pub(super) const PLUGINS: &str = "\
-id||unique node id
name|n|node name
component|c|component
version|v|component version
-description|d|plugin details";

/// `_cat/recovery`.
pub(super) const RECOVERY: &str = "\
index|i,idx|index name
shard|s,sh|shard name
-start_time|start|recovery start time
-start_time_millis|start_millis|recovery start time in epoch milliseconds
-stop_time|stop|recovery stop time
-stop_time_millis|stop_millis|recovery stop time in epoch milliseconds
time|t,ti|recovery time
type|ty|recovery type
stage|st|recovery stage
source_host|shost|source host
source_node|snode|source node name
target_host|thost|target host
target_node|tnode|target node name
repository|rep|repository
snapshot|snap|snapshot
files|f|number of files to recover
files_recovered|fr|files recovered
files_percent|fp|percent of files recovered
files_total|tf|total number of files
bytes|b|number of bytes to recover
bytes_recovered|br|bytes recovered
bytes_percent|bp|percent of bytes recovered
bytes_total|tb|total number of bytes
translog_ops|to|number of translog ops to recover
translog_ops_recovered|tor|translog ops recovered
translog_ops_percent|top|percent of translog ops recovered";

/// `_cat/repositories`.
pub(super) const REPOSITORIES: &str = "\
id|id,repoId|unique repository id
>type|t,type|repository type";

/// `_cat/segments`.
pub(super) const SEGMENTS: &str = "\
index|i,idx|index name
shard|s,sh|shard name
prirep|p,pr,primaryOrReplica|primary or replica
ip||ip of node where it lives
-id||unique id of node where it lives
segment|seg|segment name
>generation|g,gen|segment generation
>docs.count|dc,docsCount|number of docs in segment
>docs.deleted|dd,docsDeleted|number of deleted docs in segment
>size|si|segment size in bytes
>size.memory|sm,sizeMemory|segment memory in bytes
committed|ic,isCommitted|is segment committed
searchable|is,isSearchable|is segment searched
version|v,ver|version
compound|ico,isCompound|is segment compound";

/// `_cat/shards`, before its figures.
pub(super) const SHARDS: &str = "\
index|i,idx|index name
shard|s,sh|shard name
prirep|p,pr,primaryOrReplica|primary or replica
state|st|shard state
>docs|d,dc|number of docs in shard
>store|sto|store size of shard (how much disk it uses)
ip||ip of node where it lives
-id||unique id of node where it lives
node|n|name of node where it lives
-sync_id|sync_id|sync id
-unassigned.reason|ur|reason shard is unassigned
-unassigned.at|ua|time shard became unassigned (UTC)
->unassigned.for|uf|time has been unassigned
-unassigned.details|ud|additional details as to why the shard became unassigned
-recoverysource.type|rs|recovery source type";

/// `_cat/snapshots`.
pub(super) const SNAPSHOTS: &str = "\
id|id,snapshot|unique snapshot
>status|s,status|snapshot name
start_epoch|ste,startEpoch|start time in seconds since 1970-01-01 00:00:00
start_time|sti,startTime|start time in HH:MM:SS
end_epoch|ete,endEpoch|end time in seconds since 1970-01-01 00:00:00
end_time|eti,endTime|end time in HH:MM:SS
>duration|dur,duration|duration
>indices|i,indices|number of indices
>successful_shards|ss,successful_shards|number of successful shards
>failed_shards|fs,failed_shards|number of failed shards
>total_shards|ts,total_shards|number of total shards
-reason|r,reason|reason for failures";

/// `_cat/tasks`.
pub(super) const TASKS: &str = "\
-id||id of the task with the node
action|ac|task action
task_id|ti|unique task id
parent_task_id|pti|parent task id
type|ty|task type
start_time|start|start time in ms
timestamp|ts,hms,hhmmss|start time in HH:MM:SS
-running_time_ns|time|running time ns
running_time|time|running time
-node_id|ni|unique node id
ip|i|ip address
-port|po|bound transport port
node|n|node name
-version|v|es version
-x_opaque_id|x|X-Opaque-ID header";

/// What `_cat/tasks` has besides, where it is detailed.
pub(super) const TASK_DESCRIPTION: &str = "\
description|desc|task action";

/// `_cat/templates`.
pub(super) const TEMPLATES: &str = "\
name|n|template name
index_patterns|t|template index patterns
order|o,p|template application order/priority number
version|v|version
=composed_of|c|component templates comprising index template";

/// `_cat/thread_pool`.
pub(super) const THREAD_POOL: &str = "\
node_name|nn|node name
-node_id|id|persistent node id
-ephemeral_node_id|eid|ephemeral node id
-pid|p|process id
-host|h|host name
-ip|i|ip address
-port|po|bound transport port
name|n|thread pool name
-type|t|thread pool type
>active|a|number of active threads
->pool_size|psz|number of threads
>queue|q|number of tasks currently in queue
->queue_size|qs|maximum number of tasks permitted in queue
>rejected|r|number of rejected tasks
->largest|l|highest number of seen active threads
->completed|c|number of completed tasks
->core|cr|core number of threads in a scaling thread pool
->max|mx|maximum number of threads in a scaling thread pool
->size|sz|number of threads in a fixed thread pool
->keep_alive|ka|thread keep alive time";

/// The figures of indices (`i`), nodes (`n`) and shards (`s`), after which lists have them: as the others, and where
/// `_stats` has each, or what each has always.
pub(super) const FIGURES: &str = "\
ins completion.size|cs,completionSize|size of completion|completion/size_in_bytes
ins fielddata.memory_size|fm,fielddataMemory|used fielddata cache|fielddata/memory_size_in_bytes
ins fielddata.evictions|fe,fielddataEvictions|fielddata evictions|fielddata/evictions
ins query_cache.memory_size|qcm,queryCacheMemory|used query cache|query_cache/memory_size_in_bytes
ins query_cache.evictions|qce,queryCacheEvictions|query cache evictions|query_cache/evictions
n query_cache.hit_count|qchc,queryCacheHitCount|query cache hit counts|query_cache/hit_count
n query_cache.miss_count|qcmc,queryCacheMissCount|query cache miss counts|query_cache/miss_count
in request_cache.memory_size|rcm,requestCacheMemory|used request cache|request_cache/memory_size_in_bytes
in request_cache.evictions|rce,requestCacheEvictions|request cache evictions|request_cache/evictions
in request_cache.hit_count|rchc,requestCacheHitCount|request cache hit counts|request_cache/hit_count
in request_cache.miss_count|rcmc,requestCacheMissCount|request cache miss counts|request_cache/miss_count
ins flush.total|ft,flushTotal|number of flushes|flush/total
ins flush.total_time|ftt,flushTotalTime|time spent in flush|flush/total_time_in_millis
ins get.current|gc,getCurrent|number of current get ops|get/current
ins get.time|gti,getTime|time spent in get|get/time_in_millis
ins get.total|gto,getTotal|number of get ops|get/total
ins get.exists_time|geti,getExistsTime|time spent in successful gets|get/exists_time_in_millis
ins get.exists_total|geto,getExistsTotal|number of successful gets|get/exists_total
ins get.missing_time|gmti,getMissingTime|time spent in failed gets|get/missing_time_in_millis
ins get.missing_total|gmto,getMissingTotal|number of failed gets|get/missing_total
ins indexing.delete_current|idc,indexingDeleteCurrent|number of current deletions|indexing/delete_current
ins indexing.delete_time|idti,indexingDeleteTime|time spent in deletions|indexing/delete_time_in_millis
ins indexing.delete_total|idto,indexingDeleteTotal|number of delete ops|indexing/delete_total
ins indexing.index_current|iic,indexingIndexCurrent|number of current indexing ops|indexing/index_current
ins indexing.index_time|iiti,indexingIndexTime|time spent in indexing|indexing/index_time_in_millis
ins indexing.index_total|iito,indexingIndexTotal|number of indexing ops|indexing/index_total
ins indexing.index_failed|iif,indexingIndexFailed|number of failed indexing ops|indexing/index_failed
ins merges.current|mc,mergesCurrent|number of current merges|merges/current
ins merges.current_docs|mcd,mergesCurrentDocs|number of current merging docs|merges/current_docs
ins merges.current_size|mcs,mergesCurrentSize|size of current merges|merges/current_size_in_bytes
ins merges.total|mt,mergesTotal|number of completed merge ops|merges/total
ins merges.total_docs|mtd,mergesTotalDocs|docs merged|merges/total_docs
ins merges.total_size|mts,mergesTotalSize|size merged|merges/total_size_in_bytes
ins merges.total_time|mtt,mergesTotalTime|time spent in merges|merges/total_time_in_millis
ins refresh.total|rto,refreshTotal|total refreshes|refresh/total
ins refresh.time|rti,refreshTime|time spent in refreshes|refresh/total_time_in_millis
ins refresh.external_total|rto,refreshTotal|total external refreshes|refresh/external_total
ins refresh.external_time|rti,refreshTime|time spent in external refreshes|refresh/external_total_time_in_millis
ins refresh.listeners|rli,refreshListeners|number of pending refresh listeners|refresh/listeners
n script.compilations|scrcc,scriptCompilations|script compilations|script/compilations
n script.cache_evictions|scrce,scriptCacheEvictions|script cache evictions|script/cache_evictions
n script.compilation_limit_triggered|scrclt,scriptCacheCompilationLimitTriggered|script cache compilation limit triggered|script/compilation_limit_triggered
ins search.fetch_current|sfc,searchFetchCurrent|current fetch phase ops|search/fetch_current
ins search.fetch_time|sfti,searchFetchTime|time spent in fetch phase|search/fetch_time_in_millis
ins search.fetch_total|sfto,searchFetchTotal|total fetch ops|search/fetch_total
ins search.open_contexts|so,searchOpenContexts|open search contexts|search/open_contexts
ins search.query_current|sqc,searchQueryCurrent|current query phase ops|search/query_current
ins search.query_time|sqti,searchQueryTime|time spent in query phase|search/query_time_in_millis
ins search.query_total|sqto,searchQueryTotal|total query phase ops|search/query_total
ins search.scroll_current|scc,searchScrollCurrent|open scroll contexts|search/scroll_current
ins search.scroll_time|scti,searchScrollTime|time scroll contexts held open|search/scroll_time_in_millis
ins search.scroll_total|scto,searchScrollTotal|completed scroll contexts|search/scroll_total
ins segments.count|sc,segmentsCount|number of segments|segments/count
ins segments.memory|sm,segmentsMemory|memory used by segments|segments/memory_in_bytes
ins segments.index_writer_memory|siwm,segmentsIndexWriterMemory|memory used by index writer|segments/index_writer_memory_in_bytes
ins segments.version_map_memory|svmm,segmentsVersionMapMemory|memory used by version map|segments/version_map_memory_in_bytes
ins segments.fixed_bitset_memory|sfbm,fixedBitsetMemory|memory used by fixed bit sets for nested object field types|segments/fixed_bit_set_memory_in_bytes
s seq_no.max|sqm,maxSeqNo|max sequence number|seq_no/max_seq_no
s seq_no.local_checkpoint|sql,localCheckpoint|local checkpoint|seq_no/local_checkpoint
s seq_no.global_checkpoint|sqg,globalCheckpoint|global checkpoint|seq_no/global_checkpoint
is warmer.current|wc,warmerCurrent|current warmer ops|warmer/current
is warmer.total|wto,warmerTotal|total warmer ops|warmer/total
is warmer.total_time|wtt,warmerTotalTime|time spent in warmers|warmer/total_time_in_millis
in suggest.current|suc,suggestCurrent|number of current suggest ops|search/suggest_current
in suggest.time|suti,suggestTime|time spend in suggest|search/suggest_time_in_millis
in suggest.total|suto,suggestTotal|number of suggest ops|search/suggest_total
i memory.total|tm,memoryTotal|total used memory|memory/total_in_bytes
i search.throttled|sth|indicates if the index is search throttled|=false
s path.data|pd,dataPath|shard data path|
s path.state|ps,statsPath|shard state path|";
