# Speaks Qdrant's REST interface over its own engine in this process. What the front does not know, it refuses: nothing
# of a request is left out in silence.
import shutil
import sys
from pathlib import Path

from qdrant_edge import (
    Distance,
    EdgeConfig,
    EdgeShard,
    EdgeVectorParams,
    FieldCondition,
    Filter,
    HasIdCondition,
    HnswIndexConfig,
    KeywordIndexParams,
    MatchAny,
    MatchValue,
    Point,
    Query,
    QueryRequest,
    ScrollRequest,
    SearchParams,
    UpdateOperation,
)

from rest import completed, serve

# Defaults of the server for what a request leaves out (config/config.yaml).
hnsw = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000}


def known(body, *fields):
    """Values of the fields; a field that is not among them is an error."""
    unknown = set(body) - set(fields)
    if unknown:
        raise ValueError(f"the front does not know {', '.join(sorted(unknown))}")
    return [body.get(one) for one in fields]


def matching(match):
    value, some = known(match, "value", "any")
    return MatchValue(value) if some is None else MatchAny(some)


def filter_of(body, indexes):
    """As the server's strict mode does: what is filtered has an index."""
    (must,) = known(body, "must")
    conditions = []
    for one in must:
        key, match, ids = known(one, "key", "match", "has_id")
        if ids is not None:
            conditions.append(HasIdCondition(set(ids)))
        elif key in indexes:
            conditions.append(FieldCondition(key=key, match=matching(match)))
        else:
            raise ValueError(f"no index for {key}")
    return Filter(must=conditions)


class Edge:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.shards = {}
        self.indexes = {}
        self.made = 0

    def names(self):
        return list(self.shards)

    def create(self, name, body):
        vectors, graphs = known(body, "vectors", "hnsw_config")
        size, distance = known(vectors, "size", "distance")
        self.made += 1
        folder = self.folder / str(self.made)
        params = EdgeVectorParams(size=size, distance=getattr(Distance, distance))
        config = EdgeConfig(vectors=params, hnsw_config=HnswIndexConfig(**(hnsw | (graphs or {}))))
        self.shards[name] = (EdgeShard.create(str(folder), config), folder)
        self.indexes[name] = set()
        return True

    def drop(self, name, _):
        shard, folder = self.shards.pop(name)
        del self.indexes[name]
        shard.close()
        shutil.rmtree(folder)
        return True

    def info(self, name, _):
        """A server builds its graphs by and by; the engine does so when it is told to, and answers nothing meanwhile."""
        shard = self.shards[name][0]
        shard.optimize()
        told = shard.info()
        return {
            "status": "green",
            "points_count": told.points_count,
            "indexed_vectors_count": told.indexed_vectors_count,
            "segments_count": told.segments_count,
        }

    def index(self, name, body):
        field, schema = known(body, "field_name", "field_schema")
        kind, is_tenant = known({"type": schema} if isinstance(schema, str) else schema, "type", "is_tenant")
        if kind != "keyword":
            raise ValueError(f"the front makes no index of the type {kind}")
        self.indexes[name].add(field)
        return self.update(name, UpdateOperation.create_field_index(field, KeywordIndexParams(is_tenant=is_tenant)))

    def upsert(self, name, body):
        (points,) = known(body, "points")
        made = [Point(*known(one, "id", "vector", "payload")) for one in points]
        return self.update(name, UpdateOperation.upsert_points(made))

    def delete(self, name, body):
        (some,) = known(body, "filter")
        return self.update(name, UpdateOperation.delete_points_by_filter(self.filtered(name, some)))

    def payload(self, name, body):
        payload, some = known(body, "payload", "filter")
        return self.update(name, UpdateOperation.set_payload_by_filter(self.filtered(name, some), payload))

    def query(self, name, body):
        vector, some, params, limit, payload = known(body, "query", "filter", "params", "limit", "with_payload")
        (ef,) = known(params, "hnsw_ef")
        found = self.shards[name][0].query(
            QueryRequest(
                query=Query.Nearest(vector),
                filter=self.filtered(name, some),
                params=SearchParams(hnsw_ef=ef),
                limit=limit,
                with_payload=payload,
            )
        )
        return {"points": [{"id": one.id, "version": one.version, "score": one.score} for one in found]}

    def scroll(self, name, body):
        offset, limit, payload, vector = known(body, "offset", "limit", "with_payload", "with_vector")
        request = ScrollRequest(offset=offset, limit=limit, with_payload=payload, with_vector=vector)
        points, following = self.shards[name][0].scroll(request)
        return {"points": [{"id": one.id, "payload": one.payload} for one in points], "next_page_offset": following}

    def filtered(self, name, some):
        return filter_of(some, self.indexes[name])

    def update(self, name, operation):
        self.shards[name][0].update(operation)
        return completed


serve(Edge(sys.argv[2]), int(sys.argv[1]))
