"""Reads stores of Portable AI Memory by the format's own library: a JSON line in, a JSON line out."""

import json
import sys

from portable_ai_memory import load_memory_store, validate_memory_store

print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    # Loading holds the file against the published schema.
    store = load_memory_store(json.loads(line)["file"])
    found = [str(issue) for issue in validate_memory_store(store).issues]
    print(json.dumps({"memories": len(store.memories), "issues": found}), flush=True)
