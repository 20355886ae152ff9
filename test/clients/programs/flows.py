# Carries out flows of a client on request: a JSON line in, a JSON line out.
import json
import os
import sys

# What clients print is not for whoever reads the answers.
answers, sys.stdout = sys.stdout, sys.stderr

BASE_URL = os.environ["BASE_URL"]
API_KEY = os.environ["API_KEY"]
MODEL = "openai:fake-model"
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Tells the weather.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
ASKED = [{"role": "user", "content": "Hello?"}]


def failure(error):
    """What a program that catches the error would look at."""
    names = [one.__name__ for one in type(error).__mro__]
    told = {"error": names[0], "bases": names, "message": str(error)[:500]}
    for field in ("status_code", "code", "param", "type"):
        value = getattr(error, field, None)
        if isinstance(value, (str, int)):
            told[field] = value
    return told


def say(value):
    print(json.dumps(value), file=answers, flush=True)


def serve(flows):
    say({"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            result = flows[request.pop("flow")](**request)
        except Exception as error:  # every failure is a result here
            result = failure(error)
        say(result)
