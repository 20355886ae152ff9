import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
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

  /**
   * One command at a time, and each answer a copy: the server's own answers hold its live documents, so that a change
   * that comes before an answer is written out would show in it, as MongoDB's never does.
   */
  private static class AtomicBackend extends MemoryBackend {
    @Override
    public synchronized Document handleMessage(MongoMessage message) {
      return super.handleMessage(message).cloneDeeply();
    }

    @Override
    public MemoryDatabase openOrCreateDatabase(String name) {
      return new PartialDatabase(name, getCursorRegistry());
    }
  }

  /** Unique indexes that have a filter are made with it. */
  private static class PartialDatabase extends MemoryDatabase {
    /** Of the index that is being made. */
    private Document filter;

    PartialDatabase(String name, CursorRegistry cursors) {
      super(name, cursors);
    }

    @Override
    protected void addIndex(Document description) {
      // The index of its ids may come in between, with the collection.
      var outer = filter;
      filter = (Document) description.get("partialFilterExpression");
      super.addIndex(description);
      filter = outer;
    }

    @Override
    protected Index<Integer> openOrCreateUniqueIndex(
        String collection, String name, List<IndexKey> keys, boolean sparse) {
      if (filter != null) return new PartialUniqueIndex(name, keys, filter);
      return super.openOrCreateUniqueIndex(collection, name, keys, sparse);
    }
  }

  public static void main(String[] args) throws Exception {
    var server = new MongoServer(new AtomicBackend().version(new Version5()));
    server.bind("127.0.0.1", 0);
    System.out.println(server.getConnectionString());
    while (System.in.read() >= 0) {}
    server.shutdownNow();
    System.exit(0);
  }
}
