# The official anthropic package for Python.
import anthropic
from flows import API_KEY, ASKED, BASE_URL, MODEL, WEATHER, serve
from pydantic import BaseModel

TOOL = {
    "name": "weather",
    "description": "Tells the weather.",
    "input_schema": WEATHER["function"]["parameters"],
}


class Place(BaseModel):
    city: str


def client(key=API_KEY, **options):
    return anthropic.Anthropic(base_url=BASE_URL, api_key=key, max_retries=0, **options)


def ask(client=None, **options):
    return (client or globals()["client"]()).messages.create(**{"model": MODEL, "max_tokens": 100, "messages": ASKED, **options})


def stream():
    with client().messages.stream(model=MODEL, max_tokens=100, messages=ASKED) as events:
        text = "".join(events.text_stream)
        return {"text": text, "stop": events.get_final_message().stop_reason}


def tools():
    message = ask(tools=[TOOL])
    call = next(block for block in message.content if block.type == "tool_use")
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "rain"}]}
    said = {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]}
    answer = ask(messages=[*ASKED, said, result], tools=[TOOL])
    return {"name": call.name, "arguments": call.input, "text": answer.content[0].text}


def leave():
    with client().messages.stream(model=MODEL, max_tokens=100, messages=ASKED) as events:
        for _ in events.text_stream:
            break
    return {"left": True}


def structured():
    message = client().messages.parse(model=MODEL, max_tokens=100, messages=ASKED, output_format=Place)
    return {"value": message.parsed_output.model_dump()}


serve({
    "stream": stream,
    "structured": structured,
    "tools": tools,
    "fail": lambda key=API_KEY, model=MODEL: ask(client(key), model=model) and None,
    "leave": leave,
    "timeout": lambda: ask(client(timeout=0.5)) and None,
    "count": lambda: {"tokens": client().messages.count_tokens(model=MODEL, messages=ASKED).input_tokens},
})
