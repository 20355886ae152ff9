# langchain-openai.
from flows import API_KEY, ASKED, BASE_URL, MODEL, SCHEMA, WEATHER, serve
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI


def model(key=API_KEY, model=MODEL, **options):
    return ChatOpenAI(base_url=BASE_URL + "/v1", api_key=key, model=model, max_retries=0, **options)


def stream():
    return {"text": "".join(chunk.content for chunk in model().stream(ASKED))}


def tools():
    bound = model().bind_tools([WEATHER])
    asked = HumanMessage("Hello?")
    message = bound.invoke([asked])
    call = message.tool_calls[0]
    answer = bound.invoke([asked, message, ToolMessage("rain", tool_call_id=call["id"])])
    return {"name": call["name"], "arguments": call["args"], "text": answer.content}


def structured():
    schema = {"title": "place", "description": "A place.", **SCHEMA}
    return {"value": model().with_structured_output(schema, method="json_schema", strict=True).invoke(ASKED)}


def leave():
    chunks = model().stream(ASKED)
    for chunk in chunks:
        if chunk.content:
            break
    chunks.close()
    return {"left": True}


serve({
    "stream": stream,
    "tools": tools,
    "structured": structured,
    "fail": lambda **options: model(**options).invoke(ASKED) and None,
    "leave": leave,
    "timeout": lambda: model(timeout=0.5).invoke(ASKED) and None,
})
