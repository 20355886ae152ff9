# The part of Qdrant's REST interface that the adapter uses, over HTTP of the standard library; `serve` is given what answers.
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

completed = {"operation_id": 1, "status": "completed"}

# Methods and paths beyond a collection's name, and the functions that answer them.
actions = {
    ("GET", ""): "info",
    ("DELETE", ""): "drop",
    ("PUT", "index"): "index",
    ("PUT", "points"): "upsert",
    ("POST", "points/delete"): "delete",
    ("POST", "points/payload"): "payload",
    ("POST", "points/query"): "query",
    ("POST", "points/scroll"): "scroll",
}


class Front(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The head and the body of an answer leave together, and no part of a long one waits until the one before has been
    # acknowledged.
    wbufsize = -1
    disable_nagle_algorithm = True
    store = None
    # The stores are made for one thread; connections that are kept alive have one each.
    lock = threading.Lock()

    def answer(self, status, result, error=None):
        told = "ok" if status == 200 else {"error": error or f"status {status}"}
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
            with self.lock:
                answer = self.route(self.command, parts, body)
            self.answer(*answer)
        except Exception as error:
            self.answer(400, None, f"{type(error).__name__}: {error}")

    def route(self, method, parts, body):
        names = self.store.names()
        if parts == ["collections"]:
            return 200, {"collections": [{"name": name} for name in names]}
        name, rest = parts[1], "/".join(parts[2:])
        if rest == "exists":
            return 200, {"exists": name in names}
        if (method, rest) == ("PUT", ""):
            return (409, None) if name in names else (200, self.store.create(name, body))
        if name not in names:
            return 404, None
        return 200, getattr(self.store, actions[(method, rest)])(name, body)

    do_GET = do_PUT = do_POST = do_DELETE = handle_any

    def log_message(self, *_):
        pass


def serve(store, port):
    Front.store = store
    ThreadingHTTPServer.daemon_threads = True
    server = ThreadingHTTPServer(("127.0.0.1", port), Front)
    print(server.server_address[1], flush=True)
    server.serve_forever()
