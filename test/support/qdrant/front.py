# Speaks Qdrant's REST interface over the local mode of its Python client: the requests are parsed by the server's own models.
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from pydantic import TypeAdapter
from qdrant_client import QdrantClient
from qdrant_client.http import models

client = QdrantClient(":memory:")
indexes = {}
# The client is made for one thread; connections that are kept alive have one each.
lock = threading.Lock()


def parsed(kind, body):
    return TypeAdapter(kind).validate_python(body)


def create(name, body):
    wanted = parsed(models.CreateCollection, body)
    if client.collection_exists(name):
        return 409, None
    client.create_collection(name, vectors_config=wanted.vectors, hnsw_config=wanted.hnsw_config)
    return 200, True


def index(name, body):
    wanted = parsed(models.CreateFieldIndex, body)
    indexes.setdefault(name, {})[wanted.field_name] = True
    return 200, {"operation_id": 1, "status": "completed"}


def upsert(name, body):
    client.upsert(name, points=parsed(models.PointsList, body).points)
    return 200, {"operation_id": 1, "status": "completed"}


def delete(name, body):
    client.delete(name, points_selector=parsed(models.PointsSelector, body))
    return 200, {"operation_id": 1, "status": "completed"}


def payload(name, body):
    wanted = parsed(models.SetPayload, body)
    client.set_payload(name, payload=wanted.payload, points=wanted.filter or wanted.points)
    return 200, {"operation_id": 1, "status": "completed"}


def strict(name, condition):
    # As the server's strict mode does: what is filtered has an index.
    for one in condition.must or []:
        key = getattr(one, "key", None)
        if key and not indexes.get(name, {}).get(key):
            raise ValueError(f"no index for {key}")


def query(name, body):
    wanted = parsed(models.QueryRequest, body)
    strict(name, wanted.filter)
    found = client.query_points(name, query=wanted.query, query_filter=wanted.filter, limit=wanted.limit, with_payload=False)
    return 200, found.model_dump(mode="json")


def scroll(name, body):
    wanted = parsed(models.ScrollRequest, body)
    points, following = client.scroll(name, scroll_filter=wanted.filter, limit=wanted.limit, offset=wanted.offset, with_payload=True)
    return 200, {"points": [one.model_dump(mode="json") for one in points], "next_page_offset": following}


class Front(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, result):
        told = "ok" if status == 200 else {"error": f"status {status}"}
        text = json.dumps({"result": result, "status": told, "time": 0.0}).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def handle_any(self):
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or "null")
        parts = [unquote(one) for one in urlsplit(self.path).path.strip("/").split("/")]
        try:
            with lock:
                answer = self.route(self.command, parts, body)
            self.answer(*answer)
        except Exception as error:
            self.answer(400, str(error))

    def route(self, method, parts, body):
        if parts == ["collections"]:
            return 200, client.get_collections().model_dump(mode="json")
        name = parts[1]
        rest = "/".join(parts[2:])
        if rest == "exists":
            return 200, {"exists": client.collection_exists(name)}
        if (method, rest) == ("PUT", ""):
            return create(name, body)
        if not client.collection_exists(name):
            return 404, None
        if (method, rest) == ("GET", ""):
            return 200, {"points_count": client.count(name).count}
        if (method, rest) == ("DELETE", ""):
            indexes.pop(name, None)
            return 200, client.delete_collection(name)
        actions = {
            ("PUT", "index"): index,
            ("PUT", "points"): upsert,
            ("POST", "points/delete"): delete,
            ("POST", "points/payload"): payload,
            ("POST", "points/query"): query,
            ("POST", "points/scroll"): scroll,
        }
        return actions[(method, rest)](name, body)

    do_GET = do_PUT = do_POST = do_DELETE = handle_any

    def log_message(self, *_):
        pass


ThreadingHTTPServer.daemon_threads = True
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Front)
print(server.server_address[1], flush=True)
server.serve_forever()
