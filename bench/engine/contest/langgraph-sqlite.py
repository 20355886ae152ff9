# LangGraph's library by itself, with its SQLite checkpointer, behind the plainest ASGI server.
import os
from contextlib import asynccontextmanager
from uuid import uuid4
import uvicorn
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from agent import builder

state = {}

@asynccontextmanager
async def lifespan(_):
    async with AsyncSqliteSaver.from_conn_string(os.environ["STORE"]) as saver:
        state["graph"] = builder.compile(checkpointer=saver)
        yield

async def run(_):
    config = {"configurable": {"thread_id": str(uuid4())}}
    end = await state["graph"].ainvoke({"messages": [("user", "Work in steps.")]}, config)
    return JSONResponse({"text": end["messages"][-1].content})

app = Starlette(routes=[Route("/", run, methods=["POST"])], lifespan=lifespan)
uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning", timeout_keep_alive=600)
