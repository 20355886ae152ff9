# httpx-sse, which others build on: it dispatches whatever a blank line ends.
import json

import httpx
from flows import API_KEY, BASE_URL, MODEL, ASKED, serve
from httpx_sse import SSEError, connect_sse

HEADERS = {"authorization": f"Bearer {API_KEY}"}


def events_of(method, path, upto=None, headers=None, timeout=60, **options):
    seen = []
    with httpx.Client(timeout=timeout, headers={**HEADERS, **(headers or {})}) as client:
        with connect_sse(client, method, BASE_URL + path, **options) as source:
            for event in source.iter_sse():
                seen.append({"id": event.id, "event": event.event, "data": event.data})
                if upto and len(seen) >= upto:
                    break
    return seen


def stream():
    body = {"model": MODEL, "messages": ASKED, "stream": True}
    datas = [event["data"] for event in events_of("POST", "/v1/chat/completions", json=body)]
    deltas = [json.loads(data)["choices"][0]["delta"] for data in datas if data != "[DONE]"]
    return {"text": "".join(delta.get("content") or "" for delta in deltas)}


def follow(run, upto, last=None):
    headers = {"last-event-id": last} if last else {}
    query = f"topics=run:{run}&heartbeatSeconds=1" + ("" if last else "&lastEventId=0")
    return {"events": events_of("GET", f"/api/events?{query}", upto, headers)}


def fail(key=API_KEY, model=MODEL):
    # What is no event stream is refused with an error of the package; the response tells why.
    body = {"model": model, "messages": ASKED, "stream": True}
    headers = {"authorization": f"Bearer {key}"}
    with httpx.Client(timeout=60, headers=headers) as client:
        with connect_sse(client, "POST", f"{BASE_URL}/v1/chat/completions", json=body) as source:
            try:
                list(source.iter_sse())
            except SSEError as error:
                raise SSEError(f"{error} {source.response.read().decode()}") from error


def leave():
    body = {"model": MODEL, "messages": ASKED, "stream": True}
    events_of("POST", "/v1/chat/completions", upto=2, json=body)
    return {"left": True}


def timeout():
    body = {"model": MODEL, "messages": ASKED, "stream": True}
    events_of("POST", "/v1/chat/completions", timeout=0.5, json=body)


serve({"stream": stream, "follow": follow, "fail": fail, "leave": leave, "timeout": timeout})
