# litellm, as a program that knows many providers calls an OpenAI-compatible one.
import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from flows import API_KEY, ASKED, BASE_URL, MODEL, SCHEMA, WEATHER, serve


def complete(key=API_KEY, model=MODEL, messages=ASKED, **options):
    return litellm.completion(
        model=f"openai/{model}", messages=messages, api_base=BASE_URL + "/v1", api_key=key, num_retries=0, max_retries=0, **options
    )


def stream():
    chunks = complete(stream=True)
    return {"text": "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)}


def tools():
    message = complete(tools=[WEATHER]).choices[0].message
    call = message.tool_calls[0]
    result = {"role": "tool", "tool_call_id": call.id, "content": "rain"}
    answer = complete(messages=[*ASKED, message, result], tools=[WEATHER]).choices[0].message
    return {"name": call.function.name, "arguments": json.loads(call.function.arguments), "text": answer.content}


def structured():
    schema = {"name": "place", "schema": SCHEMA, "strict": True}
    answer = complete(response_format={"type": "json_schema", "json_schema": schema})
    return {"value": json.loads(answer.choices[0].message.content)}


def leave():
    answer = complete(stream=True)
    for chunk in answer:
        if chunk.choices[0].delta.content:
            break
    answer.completion_stream.response.close()
    return {"left": True}


serve({
    "stream": stream,
    "tools": tools,
    "structured": structured,
    "fail": lambda **options: complete(**options) and None,
    "leave": leave,
    "timeout": lambda: complete(timeout=0.5) and None,
})
