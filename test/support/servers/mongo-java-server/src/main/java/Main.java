import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

/** A server in memory on a free port of the loopback; prints its URI and runs until its input ends. */
public class Main {
  /** The server names an older wire version than today's driver accepts, though it speaks what the driver needs. */
  private static class Version5 implements MongoVersion {
    public List<Integer> getVersionArray() {
      return List.of(5, 0, 0);
    }

    public int getWireVersion() {
      return 13;
    }
  }

  public static void main(String[] args) throws Exception {
    var server = new MongoServer(new MemoryBackend().version(new Version5()));
    server.bind("127.0.0.1", 0);
    System.out.println(server.getConnectionString());
    while (System.in.read() >= 0) {}
    server.shutdownNow();
    System.exit(0);
  }
}
