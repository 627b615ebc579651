import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import com.basho.riak.client.api.RiakClient;
import com.basho.riak.client.api.commands.buckets.StoreBucketProperties;
import com.basho.riak.client.api.commands.datatypes.CounterUpdate;
import com.basho.riak.client.api.commands.datatypes.FetchCounter;
import com.basho.riak.client.api.commands.datatypes.FetchHll;
import com.basho.riak.client.api.commands.datatypes.FetchMap;
import com.basho.riak.client.api.commands.datatypes.FetchSet;
import com.basho.riak.client.api.commands.datatypes.FlagUpdate;
import com.basho.riak.client.api.commands.datatypes.HllUpdate;
import com.basho.riak.client.api.commands.datatypes.MapUpdate;
import com.basho.riak.client.api.commands.datatypes.RegisterUpdate;
import com.basho.riak.client.api.commands.datatypes.SetUpdate;
import com.basho.riak.client.api.commands.datatypes.UpdateCounter;
import com.basho.riak.client.api.commands.datatypes.UpdateHll;
import com.basho.riak.client.api.commands.datatypes.UpdateMap;
import com.basho.riak.client.api.commands.datatypes.UpdateSet;
import com.basho.riak.client.api.commands.indexes.BinIndexQuery;
import com.basho.riak.client.api.commands.indexes.IntIndexQuery;
import com.basho.riak.client.api.commands.kv.DeleteValue;
import com.basho.riak.client.api.commands.kv.FetchValue;
import com.basho.riak.client.api.commands.kv.FullBucketRead;
import com.basho.riak.client.api.commands.kv.ListKeys;
import com.basho.riak.client.api.commands.kv.StoreValue;
import com.basho.riak.client.api.commands.mapreduce.BucketMapReduce;
import com.basho.riak.client.api.commands.mapreduce.filters.StartsWithFilter;
import com.basho.riak.client.core.RiakCluster;
import com.basho.riak.client.core.RiakNode;
import com.basho.riak.client.core.query.Location;
import com.basho.riak.client.core.query.Namespace;
import com.basho.riak.client.core.query.RiakObject;
import com.basho.riak.client.core.query.functions.Function;
import com.basho.riak.client.core.query.indexes.LongIntIndex;
import com.basho.riak.client.core.query.indexes.StringBinIndex;
import com.basho.riak.client.core.util.BinaryValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

/** Basho's client of Java, unmodified, over protocol buffers. */
public class RiakTest {
    private static Server server;
    private static RiakClient client;

    @BeforeClass
    public static void start() throws Exception {
        server = new Server(Server.folder());
        client = connect(new RiakNode.Builder().withRemoteAddress("127.0.0.1").withRemotePort(server.port("riak-pb")));
    }

    static RiakClient connect(RiakNode.Builder node) throws Exception {
        RiakCluster cluster = RiakCluster.builder(node.withMinConnections(1).build()).build();
        cluster.start();
        return new RiakClient(cluster);
    }

    @AfterClass
    public static void end() throws Exception {
        client.shutdown().get();
        server.close();
    }

    private static void store(Location place, RiakObject object) throws Exception {
        client.execute(new StoreValue.Builder(object).withLocation(place).build());
    }

    private static RiakObject object(String type, String value) {
        return new RiakObject().setContentType(type).setValue(BinaryValue.create(value));
    }

    @Test
    public void objectsAreStoredFetchedListedAndDeleted() throws Exception {
        Namespace bucket = new Namespace("java");
        Location place = new Location(bucket, "k");
        RiakObject stored = object("application/json", "{\"n\": 1}");
        stored.getUserMeta().put("colour", "red");
        store(place, stored);
        FetchValue.Response fetched = client.execute(new FetchValue.Builder(place).build());
        RiakObject found = fetched.getValue(RiakObject.class);
        assertEquals("{\"n\": 1}", found.getValue().toString());
        assertEquals("application/json", found.getContentType());
        assertEquals("red", found.getUserMeta().get("colour"));
        List<String> keys = new ArrayList<>();
        for (Location listed : client.execute(new ListKeys.Builder(bucket).build())) keys.add(listed.getKeyAsString());
        assertEquals(List.of("k"), keys);
        client.execute(new DeleteValue.Builder(place).build());
        assertTrue(client.execute(new FetchValue.Builder(place).build()).isNotFound());
    }

    @Test
    public void bytesComeBackAsTheyWere() throws Exception {
        Location place = new Location(new Namespace("java_bytes"), "large");
        byte[] bytes = new byte[5_000_000];
        new java.util.Random(7).nextBytes(bytes);
        store(place, new RiakObject().setContentType("image/png").setValue(BinaryValue.create(bytes)));
        RiakObject found = client.execute(new FetchValue.Builder(place).build()).getValue(RiakObject.class);
        assertTrue(java.util.Arrays.equals(bytes, found.getValue().getValue()));
        assertEquals("image/png", found.getContentType());
    }

    @Test
    public void siblingsAreResolvedByAValueThatHasSeenThem() throws Exception {
        Namespace bucket = new Namespace("java_siblings");
        client.execute(new StoreBucketProperties.Builder(bucket).withAllowMulti(true).build());
        Location place = new Location(bucket, "k");
        for (String value : List.of("a", "b")) store(place, object("text/plain", value));
        FetchValue.Response both = client.execute(new FetchValue.Builder(place).build());
        List<String> values = both.getValues(RiakObject.class).stream().map(one -> one.getValue().toString()).sorted()
            .collect(Collectors.toList());
        assertEquals(List.of("a", "b"), values);
        store(place, object("text/plain", "c").setVClock(both.getVectorClock()));
        FetchValue.Response one = client.execute(new FetchValue.Builder(place).build());
        assertEquals(1, one.getNumberOfValues());
        assertEquals("c", one.getValue(RiakObject.class).getValue().toString());
    }

    @Test
    public void aBucketIsReadWithItsObjects() throws Exception {
        Namespace bucket = new Namespace("java_whole");
        for (int n = 0; n < 3; n++) store(new Location(bucket, "k" + n), object("text/plain", "v" + n));
        FullBucketRead.Response read = client.execute(new FullBucketRead.Builder(bucket).withReturnBody(true).build());
        List<String> found = new ArrayList<>();
        for (FullBucketRead.Response.Entry entry : read.getEntries()) {
            RiakObject one = entry.getFetchedValue().getValue(RiakObject.class);
            found.add(entry.getRiakObjectLocation().getKeyAsString() + ":" + one.getValue().toString());
        }
        assertEquals(List.of("k0:v0", "k1:v1", "k2:v2"), found);
    }

    @Test
    public void termsFindKeys() throws Exception {
        Namespace bucket = new Namespace("java_terms");
        for (long n = 0; n < 5; n++) {
            RiakObject one = object("text/plain", "v" + n);
            one.getIndexes().getIndex(LongIntIndex.named("n")).add(n);
            one.getIndexes().getIndex(StringBinIndex.named("name")).add("n" + n);
            store(new Location(bucket, "k" + n), one);
        }
        IntIndexQuery.Response numbers = client.execute(new IntIndexQuery.Builder(bucket, "n", 1L, 3L).withKeyAndIndex(true).build());
        List<String> found = new ArrayList<>();
        for (IntIndexQuery.Response.Entry entry : numbers.getEntries()) {
            found.add(entry.getIndexKey() + ":" + entry.getRiakObjectLocation().getKeyAsString());
        }
        assertEquals(List.of("1:k1", "2:k2", "3:k3"), found);
        BinIndexQuery.Response page = client.execute(new BinIndexQuery.Builder(bucket, "name", "n0", "n9").withMaxResults(3).withPaginationSort(true).build());
        assertEquals(3, page.getEntries().size());
        BinIndexQuery.Response rest = client.execute(new BinIndexQuery.Builder(bucket, "name", "n0", "n9").withMaxResults(3)
            .withPaginationSort(true).withContinuation(page.getContinuation()).build());
        assertEquals(2, rest.getEntries().size());
    }

    @Test
    public void dataTypesCountAndGather() throws Exception {
        Location counter = new Location(new Namespace("counters", "java"), "c");
        client.execute(new UpdateCounter.Builder(counter, new CounterUpdate(5)).build());
        client.execute(new UpdateCounter.Builder(counter, new CounterUpdate(-2)).build());
        assertEquals(Long.valueOf(3), client.execute(new FetchCounter.Builder(counter).build()).getDatatype().view());

        Location set = new Location(new Namespace("sets", "java"), "s");
        client.execute(new UpdateSet.Builder(set, new SetUpdate().add("a").add("b")).build());
        FetchSet.Response seen = client.execute(new FetchSet.Builder(set).build());
        client.execute(new UpdateSet.Builder(set, new SetUpdate().remove("a")).withContext(seen.getContext()).build());
        Set<BinaryValue> left = client.execute(new FetchSet.Builder(set).build()).getDatatype().view();
        assertEquals(Collections.singleton(BinaryValue.create("b")), left);

        Location map = new Location(new Namespace("maps", "java"), "m");
        client.execute(new UpdateMap.Builder(map, new MapUpdate().update("name", new RegisterUpdate("x"))
            .update("seen", new FlagUpdate(true)).update("visits", new CounterUpdate(1))
            .update("inner", new MapUpdate().update("tags", new SetUpdate().add("t")))).build());
        FetchMap.Response whole = client.execute(new FetchMap.Builder(map).build());
        assertEquals("x", whole.getDatatype().getRegister("name").getValue().toString());
        assertTrue(whole.getDatatype().getFlag("seen").getEnabled());
        assertEquals(Long.valueOf(1), whole.getDatatype().getCounter("visits").view());
        assertEquals(1, whole.getDatatype().getMap("inner").getSet("tags").view().size());

        Location hll = new Location(new Namespace("hlls", "java"), "h");
        client.execute(new UpdateHll.Builder(hll, new HllUpdate().add("a").add("b").add("a")).build());
        assertEquals(2L, client.execute(new FetchHll.Builder(hll).build()).getCardinality());
    }

    @Test
    public void jobsMapAndReduce() throws Exception {
        Namespace bucket = new Namespace("java_jobs");
        for (int n = 1; n <= 4; n++) store(new Location(bucket, (n % 2 == 0 ? "even" : "odd") + n), object("application/json", "" + n));
        BucketMapReduce job = new BucketMapReduce.Builder().withNamespace(bucket).withKeyFilter(new StartsWithFilter("even"))
            .withMapPhase(Function.newNamedJsFunction("Riak.mapValuesJson"), false)
            .withReducePhase(Function.newNamedJsFunction("Riak.reduceSum"), true).build();
        assertEquals(List.of(6), List.copyOf(client.execute(job).getResultsFromAllPhases(Integer.class)));
    }
}
