# The protocol's Python SDK as a client of an agent, over the binding that is asked for.
import asyncio
import uuid

import httpx
from a2a.client import ClientConfig, create_client
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from flows import API_KEY, say, serve


async def connected(url, binding, streaming):
    http = httpx.AsyncClient(headers={"authorization": f"Bearer {API_KEY}"}, timeout=60)
    config = ClientConfig(
        streaming=streaming, httpx_client=http, supported_protocol_bindings=[binding], use_client_preference=True
    )
    return await create_client(url, config)


def request_of(text, at_once=False, **more):
    message = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], **more)
    request = SendMessageRequest(message=message)
    request.configuration.return_immediately = at_once
    return request


def told(task):
    texts = ["".join(part.text for part in one.parts) for one in task.artifacts]
    return {"id": task.id, "context": task.context_id, "state": TaskState.Name(task.status.state), "texts": texts}


async def events_of(stream, begun=lambda kind: None):
    seen, text = [], ""
    async for event in stream:
        kind = event.WhichOneof("payload")
        if not seen:
            begun(kind)
        seen.append(kind)
        if kind == "artifact_update":
            update = event.artifact_update
            said = "".join(part.text for part in update.artifact.parts)
            text = text + said if update.append else said
        elif kind == "status_update":
            seen[-1] = TaskState.Name(event.status_update.status.state)
        last = event
    return {"kinds": seen, "text": text, "last": str(last.WhichOneof("payload"))}


async def send(client, text, at_once=False, task=None):
    more = {"task_id": task} if task else {}
    async for event in client.send_message(request_of(text, at_once, **more)):
        if event.HasField("task"):
            return told(event.task)
        return {"other": event.WhichOneof("payload")}


async def stream(client, text):
    return await events_of(client.send_message(request_of(text)))


async def get(client, task):
    return told(await client.get_task(GetTaskRequest(id=task)))


async def tasks(client, context):
    found = await client.list_tasks(ListTasksRequest(context_id=context))
    return {"ids": [one.id for one in found.tasks], "total": found.total_size}


async def cancel(client, task):
    return told(await client.cancel_task(CancelTaskRequest(id=task)))


async def subscribe(client, task):
    """Says that it has begun, and then what it saw."""
    stream = client.subscribe(SubscribeToTaskRequest(id=task))
    return await events_of(stream, lambda kind: say({"begun": kind}))


async def push(client, task, receiver):
    wanted = TaskPushNotificationConfig(task_id=task, id="mine", url=receiver, token="hush")
    made = await client.create_task_push_notification_config(wanted)
    got = await client.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(task_id=task, id=made.id))
    listing = ListTaskPushNotificationConfigsRequest(task_id=task)
    listed = await client.list_task_push_notification_configs(listing)
    return {"id": made.id, "url": got.url, "listed": [one.id for one in listed.configs]}


async def forget(client, task, config):
    await client.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(task_id=task, id=config))
    listing = ListTaskPushNotificationConfigsRequest(task_id=task)
    return {"listed": [one.id for one in (await client.list_task_push_notification_configs(listing)).configs]}


def flow(work, streaming=False):
    async def carried_out(url, binding, options):
        client = await connected(url, binding, streaming)
        try:
            return await work(client, **options)
        finally:
            await client.close()

    return lambda url, binding, **options: asyncio.run(carried_out(url, binding, options))


serve(
    {
        "send": flow(send),
        "stream": flow(stream, True),
        "get": flow(get),
        "tasks": flow(tasks),
        "cancel": flow(cancel),
        "subscribe": flow(subscribe, True),
        "push": flow(push),
        "forget": flow(forget),
    }
)
