import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Starts and ends a real server for a test. */
final class Server implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("listening.*protocol=\"?([\\w-]+)\"? address=\\S+:(\\d+)");

    final Path folder;
    private final Process process;
    private final Map<String, Integer> ports = new ConcurrentHashMap<>();

    /** Runs on free ports with Riak's protocol buffers and CouchDB's protocol. */
    Server(Path folder, String... options) throws IOException, InterruptedException {
        this.folder = folder;
        List<String> command = new ArrayList<>(List.of(System.getenv("LARDER_BINARY"), "serve", "--data", folder + "/data",
            "--memory", "64m", "--mongo-listen", "off", "--couch-listen", "127.0.0.1:0", "--elastic-listen", "off",
            "--riak-listen", "off", "--riak-pb-listen", "127.0.0.1:0", "--http-listen", "off"));
        command.addAll(List.of(options));
        process = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        CountDownLatch started = new CountDownLatch(1);
        StringBuffer log = new StringBuffer();
        Thread reader = new Thread(() -> {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getErrorStream()))) {
                for (String line; (line = lines.readLine()) != null; ) {
                    log.append(line).append('\n');
                    Matcher found = LISTENING.matcher(line);
                    if (found.find()) ports.put(found.group(1), Integer.valueOf(found.group(2)));
                    if (ports.containsKey("riak-pb") && ports.containsKey("couch")) started.countDown();
                }
            } catch (IOException closed) {
                // The server has ended.
            }
        });
        reader.setDaemon(true);
        reader.start();
        if (!started.await(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("the server did not start:\n" + log);
        }
    }

    static Path folder() throws IOException {
        return Files.createTempDirectory("larder-");
    }

    int port(String protocol) {
        return ports.get(protocol);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroy();
        int code = process.waitFor();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) Files.delete(file);
        }
        if (code != 0) throw new IOException("the server did not end in order: " + code);
    }
}
