"""Starts a run and prints its answer as it is written: python follow_run.py "Say hello"."""

import os
import sys

from rivulet_client import AuthenticatedClient, stream
from rivulet_client.generated.api.agent import agent_runs_create
from rivulet_client.generated.models import AgentRunsCreateBody, ErrorEnvelope

client = AuthenticatedClient(
    base_url=os.environ.get("RIVULET_URL", "http://127.0.0.1:7717"), token=os.environ["RIVULET_KEY"]
)
goal = sys.argv[1] if len(sys.argv) > 1 else "Say hello"
made = agent_runs_create.sync(client=client, body=AgentRunsCreateBody(goal=goal, auto_start=True))
if made is None or isinstance(made, ErrorEnvelope):
    sys.exit(f"The run was refused: {made}")
# From the oldest event: nothing is missed. A lost connection is resumed.
for event in stream(client, f"run:{made.data.id}", cursor="0"):
    if event.type == "run.delta" and event.data["kind"] == "Content":
        print(event.data["delta"], end="", flush=True)
    if event.type == "run.ended":
        print(f"\n{event.data['status']}")
