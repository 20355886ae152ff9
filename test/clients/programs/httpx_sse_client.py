# httpx-sse, which others build on: it dispatches whatever a blank line ends.
import json

import httpx
from flows import API_KEY, BASE_URL, MODEL, ASKED, serve
from httpx_sse import connect_sse

HEADERS = {"authorization": f"Bearer {API_KEY}"}


def events_of(method, path, upto=None, headers=None, **options):
    seen = []
    with httpx.Client(timeout=60, headers={**HEADERS, **(headers or {})}) as client:
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


serve({"stream": stream, "follow": follow})
