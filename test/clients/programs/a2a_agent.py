# An agent that is made with the protocol's Python SDK: it says what it is told, and asks where it is told to.
import asyncio
import threading

import uvicorn
from a2a.helpers.proto_helpers import get_message_text, new_task, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, TaskState
from flows import serve
from starlette.applications import Starlette


class Echo(AgentExecutor):
    async def execute(self, context, event_queue):
        text = get_message_text(context.message)
        if context.current_task is None:
            task = new_task(context.task_id, context.context_id, TaskState.TASK_STATE_SUBMITTED)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        if text == "Ask me.":
            question = updater.new_agent_message([new_text_part("Which berth?")])
            return await updater.requires_input(question)
        await updater.add_artifact([new_text_part(f"You said: {text}")], name="answer")
        await updater.complete()

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def start(port, binding):
    url = f"http://127.0.0.1:{port}"
    card = AgentCard(
        name="Echo",
        description="Says what it is told.",
        version="1.0.0",
        supported_interfaces=[AgentInterface(url=url, protocol_binding=binding, protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="Echo", description="Says it.", tags=["echo"])],
    )
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
    calls = create_jsonrpc_routes(handler, "/") if binding == "JSONRPC" else create_rest_routes(handler)
    app = Starlette(routes=[*create_agent_card_routes(card), *calls])
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True).start()
    while not server.started:
        threading.Event().wait(0.02)
    return {"url": url}


serve({"start": start})
