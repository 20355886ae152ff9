"""Loads the files of datasets as trainers do: a JSON line in, a JSON line out."""

import json
import sys
import tempfile

from datasets import load_dataset
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast
from trl.data_utils import apply_chat_template, is_conversational, unpair_preference_dataset

# Writes messages between the names of their roles; what TRL makes of an example can be read off it.
TOKENIZER = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"?": 0}, unk_token="?")))
TOKENIZER.chat_template = (
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)


def read_by_trl(loaded):
    """What trainers of TRL are given: each example with its chat template, and preferences taken apart."""
    if not set(loaded.column_names) & {"messages", "chosen", "completion"}:
        return None
    rows = [dict(row) for row in loaded]
    told = {
        "conversational": all(is_conversational(row) for row in rows),
        "templated": [apply_chat_template(row, TOKENIZER) for row in rows],
    }
    if "chosen" in loaded.column_names:
        told["unpaired"] = unpair_preference_dataset(loaded).column_names
    return told


print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    kind = "csv" if asked["file"].endswith(".csv") else "json"
    with tempfile.TemporaryDirectory() as cache:
        loaded = load_dataset(kind, data_files=asked["file"], split="train", cache_dir=cache)
        rows = [dict(row) for row in loaded]
        told = {"columns": loaded.column_names, "rows": rows, "trl": read_by_trl(loaded)}
        print(json.dumps(told), flush=True)
