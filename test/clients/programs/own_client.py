# Our own Python client, as its README says.
import asyncio

from flows import API_KEY, BASE_URL, serve
from rivulet_client import AuthenticatedClient, Event, StreamRefused, astream, stream
from rivulet_client.generated.api.agent import agent_runs_create
from rivulet_client.generated.models import AgentRunsCreateBody, ErrorEnvelope


def client(base: str = BASE_URL, key: str = API_KEY) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=base, token=key)


def start() -> dict[str, int]:
    made = agent_runs_create.sync(client=client(), body=AgentRunsCreateBody(goal="Say it.", auto_start=True))
    assert made is not None and not isinstance(made, ErrorEnvelope), made
    return {"run": made.data.id}


def seen(events: list[Event]) -> dict[str, object]:
    said = [one.data["delta"] for one in events if one.type == "run.delta" and one.data["kind"] == "Content"]
    return {
        "places": [[one.epoch, one.seq] for one in events],
        "last": events[-1].type,
        "text": "".join(said),
        "gaps": sum(one.type == "stream.gap" for one in events),
    }


def follow(run: int, base: str = BASE_URL) -> dict[str, object]:
    return seen(list(stream(client(base), f"run:{run}", cursor="0")))


def follow_async(run: int, base: str = BASE_URL) -> dict[str, object]:
    async def all_of() -> list[Event]:
        return [event async for event in astream(client(base), f"run:{run}", cursor="0")]

    return seen(asyncio.run(all_of()))


def go_on(run: int) -> dict[str, object]:
    """Leaves after five events, and goes on with another stream."""
    first: list[Event] = []
    for event in stream(client(), f"run:{run}", cursor="0"):
        first.append(event)
        if len(first) == 5:
            break
    return seen([*first, *stream(client(), f"run:{run}", cursor=first[-1].cursor)])


def refused(key: str, topic: str) -> dict[str, object]:
    try:
        list(stream(client(key=key), topic))
    except StreamRefused as error:
        return {"status": error.status, "code": error.code}
    return {}


def unreachable() -> dict[str, object]:
    list(stream(client("http://127.0.0.1:9"), "run:1", max_failures=1))
    return {}


if __name__ == "__main__":
    serve(
        {
            "start": start,
            "follow": follow,
            "follow_async": follow_async,
            "go_on": go_on,
            "refused": lambda key=API_KEY, topic="run:1": refused(key, topic),
            "unreachable": unreachable,
        }
    )
