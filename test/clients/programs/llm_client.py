# llm, by its Python interface, with a model as extra-openai-models.yaml declares it.
from flows import API_KEY, BASE_URL, MODEL, SCHEMA, serve
from llm.default_plugins.openai_models import Chat
import gc
import json
import llm


def model(key=API_KEY, name=MODEL):
    chat = Chat(name, model_name=name, api_base=BASE_URL + "/v1", supports_schema=True, supports_tools=True)
    chat.key = key
    return chat


def stream():
    return {"text": "".join(model().prompt("Hello?", stream=True))}


def tools():
    called = []

    def weather(city: str) -> str:
        """Tells the weather."""
        called.append(city)
        return "rain"

    answer = model().chain("Hello?", tools=[llm.Tool.function(weather)], stream=True).text()
    return {"name": "weather", "arguments": {"city": called[0]}, "text": answer}


def structured():
    return {"value": json.loads(model().prompt("Hello?", schema=SCHEMA, stream=False).text())}


def leave():
    for _ in model().prompt("Hello?", stream=True):
        break
    gc.collect()
    return {"left": True}


def fail(key=API_KEY, model_name=MODEL):
    model(key, model_name).prompt("Hello?", stream=True).text()


serve({"stream": stream, "tools": tools, "structured": structured, "leave": leave, "fail": lambda key=API_KEY, model=MODEL: fail(key, model)})
