import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.DefaultQueryMatcher;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.memory.index.MemoryUniqueIndex;
import de.bwaldvogel.mongo.bson.Document;
import java.util.List;

/** A unique index of the documents that meet a filter, which the server itself would make of all. */
class PartialUniqueIndex extends MemoryUniqueIndex {
  private final Document filter;
  private final DefaultQueryMatcher matcher = new DefaultQueryMatcher();

  PartialUniqueIndex(String name, List<IndexKey> keys, Document filter) {
    super(name, keys, false);
    this.filter = filter;
  }

  private boolean holds(Document document) {
    return matcher.matches(document, filter);
  }

  /** Like a sparse one it lacks some documents, and that is no fault. */
  @Override
  protected boolean isSparse() {
    return true;
  }

  /** It does not know all that a query may ask for. */
  @Override
  public boolean canHandle(Document query) {
    return false;
  }

  @Override
  public Integer getPosition(Document document) {
    return holds(document) ? super.getPosition(document) : null;
  }

  @Override
  public void checkAdd(Document document, MongoCollection<Integer> collection) {
    if (holds(document)) super.checkAdd(document, collection);
  }

  @Override
  public void add(Document document, Integer position, MongoCollection<Integer> collection) {
    if (holds(document)) super.add(document, position, collection);
  }

  @Override
  public Integer remove(Document document) {
    return holds(document) ? super.remove(document) : null;
  }

  @Override
  public void checkUpdate(Document before, Document after, MongoCollection<Integer> collection) {
    if (holds(before) && holds(after)) super.checkUpdate(before, after, collection);
    else checkAdd(after, collection);
  }

  @Override
  public void updateInPlace(
      Document before, Document after, Integer position, MongoCollection<Integer> collection) {
    remove(before);
    add(after, position, collection);
  }
}
