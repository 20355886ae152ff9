# Speaks Qdrant's REST interface over the local mode of its Python client: the requests are parsed by the server's own models.
import sys

from pydantic import TypeAdapter
from qdrant_client import QdrantClient
from qdrant_client.http import models

from rest import completed, serve


def parsed(kind, body):
    return TypeAdapter(kind).validate_python(body)


class LocalMode:
    def __init__(self):
        self.client = QdrantClient(":memory:")
        self.indexes = {}

    def names(self):
        return [one.name for one in self.client.get_collections().collections]

    def create(self, name, body):
        wanted = parsed(models.CreateCollection, body)
        return self.client.create_collection(name, vectors_config=wanted.vectors, hnsw_config=wanted.hnsw_config)

    def drop(self, name, _):
        self.indexes.pop(name, None)
        return self.client.delete_collection(name)

    def info(self, name, _):
        return {"status": "green", "points_count": self.client.count(name).count}

    def index(self, name, body):
        wanted = parsed(models.CreateFieldIndex, body)
        self.indexes.setdefault(name, set()).add(wanted.field_name)
        return completed

    def upsert(self, name, body):
        self.client.upsert(name, points=parsed(models.PointsList, body).points)
        return completed

    def delete(self, name, body):
        self.client.delete(name, points_selector=parsed(models.PointsSelector, body))
        return completed

    def payload(self, name, body):
        wanted = parsed(models.SetPayload, body)
        self.client.set_payload(name, payload=wanted.payload, points=wanted.filter or wanted.points)
        return completed

    def query(self, name, body):
        wanted = parsed(models.QueryRequest, body)
        # As the server's strict mode does: what is filtered has an index.
        for one in wanted.filter.must or []:
            key = getattr(one, "key", None)
            if key and key not in self.indexes.get(name, ()):
                raise ValueError(f"no index for {key}")
        found = self.client.query_points(name, query=wanted.query, query_filter=wanted.filter, limit=wanted.limit, with_payload=False)
        return found.model_dump(mode="json")

    def scroll(self, name, body):
        wanted = parsed(models.ScrollRequest, body)
        points, following = self.client.scroll(name, scroll_filter=wanted.filter, limit=wanted.limit, offset=wanted.offset, with_payload=True)
        return {"points": [one.model_dump(mode="json") for one in points], "next_page_offset": following}


serve(LocalMode(), int(sys.argv[1]))
