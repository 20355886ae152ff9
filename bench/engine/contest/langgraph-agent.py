# The usual agent graph: the model, its tool, and back until it calls none.
import os
from langchain_openai import ChatOpenAI
from langchain_core.tools import tool
from langgraph.graph import StateGraph, MessagesState, START, END
from langgraph.prebuilt import ToolNode, tools_condition

@tool
def run_progress(summary: str) -> str:
    """Say what has been done so far."""
    return "ok"

tools = [run_progress]
model = ChatOpenAI(model="fake-model", base_url=os.environ["OPENAI_BASE_URL"], api_key="none").bind_tools(tools)

async def think(state: MessagesState):
    return {"messages": [await model.ainvoke(state["messages"])]}

builder = (
    StateGraph(MessagesState)
    .add_node("think", think)
    .add_node("tools", ToolNode(tools))
    .add_edge(START, "think")
    .add_conditional_edges("think", tools_condition)
    .add_edge("tools", "think")
)
graph = builder.compile()
