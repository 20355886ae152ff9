# A client that openapi-python-client has generated from the server's document, used as its README says.
import os
import sys

from flows import API_KEY, BASE_URL, serve

sys.path.insert(0, os.environ["GENERATED"])

from rivulet_client import AuthenticatedClient  # noqa: E402
from rivulet_client.api.agent import agent_runs_create, agent_runs_get, agent_runs_list, agent_runs_wait  # noqa: E402
from rivulet_client.errors import UnexpectedStatus  # noqa: E402
from rivulet_client.models import AgentRunsCreateBody, ErrorEnvelope  # noqa: E402


def client(key: str = API_KEY) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=BASE_URL, token=key, raise_on_unexpected_status=True)


def run() -> dict[str, object]:
    """Makes a run, waits for its end, and finds it in the list."""
    body = AgentRunsCreateBody(goal="Say hello.", auto_start=True)
    made = agent_runs_create.sync(client=client(), body=body)
    assert made is not None and not isinstance(made, ErrorEnvelope), made
    number = made.data.id
    waited = agent_runs_wait.sync(number, client=client())
    assert waited is not None and not isinstance(waited, ErrorEnvelope), waited
    seen = agent_runs_get.sync(number, client=client())
    listed = agent_runs_list.sync(client=client(), page_size=10)
    assert seen is not None and not isinstance(seen, ErrorEnvelope), seen
    assert listed is not None and not isinstance(listed, ErrorEnvelope), listed
    return {"status": str(seen.data.status), "listed": number in [one.id for one in listed.data.items]}


def refused(key: str) -> dict[str, object]:
    answer = agent_runs_get.sync_detailed(1, client=client(key))
    assert isinstance(answer.parsed, ErrorEnvelope), answer.parsed
    return {"status": int(answer.status_code), "code": str(answer.parsed.error_code)}


def unknown() -> dict[str, object]:
    try:
        answer = agent_runs_get.sync_detailed(999_999, client=client())
    except UnexpectedStatus as error:
        return {"undocumented": error.status_code}
    assert isinstance(answer.parsed, ErrorEnvelope), answer.parsed
    return {"status": int(answer.status_code), "code": str(answer.parsed.error_code)}


if __name__ == "__main__":
    serve({"run": run, "refused": refused, "unknown": unknown})
