# The official openai package for Python.
import json

import openai
from flows import API_KEY, ASKED, BASE_URL, MODEL, SCHEMA, WEATHER, say, serve


def client(key=API_KEY, **options):
    return openai.OpenAI(base_url=BASE_URL + "/v1", api_key=key, max_retries=0, **options)


def stream():
    chunks = list(client().chat.completions.create(model=MODEL, messages=ASKED, stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    return {"text": text}


def tools():
    create = client().chat.completions.create
    message = create(model=MODEL, messages=ASKED, tools=[WEATHER]).choices[0].message
    call = message.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "content": "rain"}
    messages = [*ASKED, message.model_dump(exclude_none=True) if hasattr(message, "model_dump") else message, result]
    answer = create(model=MODEL, messages=messages, tools=[WEATHER]).choices[0].message
    return {"name": call.function.name, "arguments": json.loads(call.function.arguments), "text": answer.content}


def structured():
    schema = {"name": "place", "schema": SCHEMA, "strict": True}
    format = {"type": "json_schema", "json_schema": schema}
    answer = client().chat.completions.create(model=MODEL, messages=ASKED, response_format=format)
    return {"value": json.loads(answer.choices[0].message.content)}


def fail(key=API_KEY, model=MODEL):
    client(key).chat.completions.create(model=model, messages=ASKED)


def leave():
    answer = client().chat.completions.create(model=MODEL, messages=ASKED, stream=True)
    for chunk in answer:
        if chunk.choices and chunk.choices[0].delta.content:
            break
    answer.response.close()
    return {"left": True}


def timeout():
    client(timeout=0.5).chat.completions.create(model=MODEL, messages=ASKED)


def respond():
    first = client().responses.create(model=MODEL, input="Hello?")
    events = [event.type for event in client().responses.create(model=MODEL, input="And?", previous_response_id=first.id, stream=True)]
    return {"text": first.output_text, "first": events[0], "last": events[-1]}


def resume():
    """A response that runs on is left in its stream and taken up again after the last event that was seen."""
    responses = client().responses
    begun = responses.create(model=MODEL, input="Hello?", background=True, stream=True)
    seen = []
    for event in begun:
        seen.append(event)
        if event.type == "response.output_text.delta":
            break
    begun.response.close()
    say({"cut": True})
    response_id = seen[0].response.id
    rest = responses.retrieve(response_id, stream=True, starting_after=seen[-1].sequence_number)
    seen.extend(rest)
    text = "".join(event.delta for event in seen if event.type == "response.output_text.delta")
    return {"text": text, "numbers": [event.sequence_number for event in seen], "last": seen[-1].type}


def embed():
    answer = client().embeddings.create(model="openai:fake-embed", input=[[9906, 1917]])
    return {"length": len(answer.data[0].embedding)}


serve({
    "stream": stream,
    "tools": tools,
    "structured": structured,
    "fail": fail,
    "leave": leave,
    "timeout": timeout,
    "respond": respond,
    "resume": resume,
    "embed": embed,
})
