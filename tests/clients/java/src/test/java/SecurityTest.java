import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import com.basho.riak.client.api.RiakClient;
import com.basho.riak.client.api.commands.kv.FetchValue;
import com.basho.riak.client.api.commands.kv.StoreValue;
import com.basho.riak.client.core.RiakNode;
import com.basho.riak.client.core.query.Location;
import com.basho.riak.client.core.query.Namespace;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.Test;

/** Riak's security: the client asks for TLS, then says who it is. */
public class SecurityTest {
    @Test
    public void usersLogInBehindTls() throws Exception {
        Path folder = Server.folder();
        Process made = new ProcessBuilder(System.getenv("LARDER_BINARY"), "cert", "--host", "localhost", "--host", "127.0.0.1")
            .directory(folder.toFile()).start();
        assertEquals(0, made.waitFor());
        Path certificate = folder.resolve("larder-cert.pem");
        KeyStore trusted = trusted(certificate);
        try (Server server = new Server(folder, "--tls-certificate", certificate.toString(),
                "--tls-key", folder.resolve("larder-key.pem").toString())) {
            makeUser(server, trusted);
            Location place = new Location(new Namespace("java"), "k");
            RiakClient client = RiakTest.connect(node(server).withAuth("root", "secret", trusted));
            client.execute(new StoreValue.Builder("value").withLocation(place).build());
            assertEquals("value", client.execute(new FetchValue.Builder(place).build()).getValue(String.class));
            client.shutdown().get();
            for (RiakNode.Builder refused : new RiakNode.Builder[] {node(server).withAuth("root", "wrong", trusted), node(server)}) {
                RiakClient stranger = RiakTest.connect(refused.withConnectionTimeout(1000));
                assertThrows(ExecutionException.class, () -> stranger.execute(new FetchValue.Builder(place).build()));
                stranger.shutdown().get();
            }
        }
    }

    private static RiakNode.Builder node(Server server) {
        return new RiakNode.Builder().withRemoteAddress("127.0.0.1").withRemotePort(server.port("riak-pb"));
    }

    private static KeyStore trusted(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream bytes = Files.newInputStream(certificate)) {
            store.setCertificateEntry("larder", CertificateFactory.getInstance("X.509").generateCertificate(bytes));
        }
        return store;
    }

    /** The first user, by CouchDB's protocol: all protocols have the same users. */
    private static void makeUser(Server server, KeyStore trusted) throws Exception {
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        URI place = URI.create("https://localhost:" + server.port("couch") + "/_node/_local/_config/admins/root");
        HttpRequest request = HttpRequest.newBuilder(place).PUT(HttpRequest.BodyPublishers.ofString("\"secret\"")).build();
        HttpResponse<String> answer = HttpClient.newBuilder().sslContext(context).build()
            .send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(answer.body(), 200, answer.statusCode());
    }
}
