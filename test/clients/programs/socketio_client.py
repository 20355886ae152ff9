# python-socketio: events of a run, followed over a cut of the connection.
import queue

import socketio
from flows import API_KEY, BASE_URL, say, serve


class Follower:
    """One connection; what it gets waits in a queue.

    The client starts a thread for each packet, so its handlers run in any order.
    Events are taken by their number, as its users have to.
    """

    def __init__(self, transport, auth=None, headers=None, wait_timeout=20):
        self.events = queue.Queue()
        self.early = {}
        self.taken = 0
        self.refusals = []
        self.client = socketio.Client(reconnection=False)
        self.client.on("event", self.events.put)
        self.client.on("connect_error", self.refusals.append)
        try:
            self.client.connect(
                BASE_URL, auth=auth, headers=headers or {}, transports=[transport], wait_timeout=wait_timeout
            )
        except socketio.exceptions.ConnectionError as error:
            raise socketio.exceptions.ConnectionError(str(self.refusals)) from error

    def command(self, **frame):
        return self.client.call("command", frame, timeout=20)

    def subscribe(self, topic, last):
        self.taken = last["seq"] if last else 0
        cursor = f"{last['epoch']}.{last['seq']}" if last else "0"
        return self.command(op="Subscribe", id="1", topics=[topic], lastEventId=cursor)

    def next(self):
        """The next event by its number; one that came before its turn is kept."""
        while self.taken + 1 not in self.early:
            event = self.events.get(timeout=30)
            assert event["seq"] > self.taken and event["seq"] not in self.early, f"repeated: {event['seq']}"
            self.early[event["seq"]] = event
        self.taken += 1
        return self.early.pop(self.taken)

    def take(self, count):
        return [self.next() for _ in range(count)]

    def until_type(self, last):
        seen = []
        while not seen or seen[-1]["type"] != last:
            seen.append(self.next())
        return seen


def follow(run, cuts, transport):
    """Follows a run to its end, over cuts after so many events each."""
    topic = f"run:{run}"
    seen = []
    for count in cuts:
        follower = Follower(transport, auth={"token": API_KEY})
        follower.subscribe(topic, seen[-1] if seen else None)
        seen += follower.take(count)
        # The connection is lost without a word.
        follower.client.eio.disconnect(abort=True)
    # What was followed so far; the rest happens while nobody does.
    say({"cut": True})
    follower = Follower(transport, auth={"token": API_KEY})
    follower.subscribe(topic, seen[-1] if seen else None)
    seen += follower.until_type("run.ended")
    follower.client.disconnect()
    return {"events": seen}


def offer(key, transport):
    """Offers a tool to the runs of the key's identity, and answers one call."""
    calls = queue.Queue()
    follower = Follower(transport, auth={"token": key})
    follower.client.on("command", calls.put)
    tool = {"name": "weather_get", "description": "Tells the weather.", "inputSchema": {"type": "object"}}
    follower.command(op="Call", id="1", type="tools.register", data={"tools": [tool]})
    say({"offered": True})
    call = calls.get(timeout=30)
    follower.client.emit("command", {"op": "Ack", "id": call["id"], "data": {"content": "rain"}})
    # What comes after it has been read, too.
    follower.command(op="Ping", id="2")
    follower.client.disconnect()
    return {"name": call["type"], "arguments": call["data"]["arguments"]}


def refused(transport):
    # The client waits for its namespace as long as it may, also when it was refused.
    Follower(transport, auth={"token": "rvt_wrong"}, wait_timeout=1)


def by_header(transport):
    follower = Follower(transport, headers={"x-api-key": API_KEY})
    answer = follower.command(op="Ping", id="1")
    follower.client.disconnect()
    return {"answer": answer}


serve({"follow": follow, "offer": offer, "refused": refused, "byHeader": by_header})
