// The flows that every client is tried with, and why one has no such flow: the table of docs/compatibility.md has a test
// or a reason in each cell.

export const flows = ['stream', 'tools', 'structured output', 'errors', 'stop', 'timeout', 'resume'] as const;
export type Flow = (typeof flows)[number];

const oneRequest = 'a call is one request, which nothing takes up again';
const chatKit = 'a chat asks for words; a schema is no part of what it sends';
const sdk = { resume: 'a call is one request, which nothing takes up again; useChat has it' };
const useChat = { 'structured output': 'its hook for objects, useObject, asks a route of the application' };
const messages = { resume: 'the Messages API has no way back to an answer that was left' };
const follower = 'it follows runs, which ask their models themselves';
const goesOn = 'a run goes on when those who watch it leave';

/** By the name of a client, or that with the beginning of its version. */
export const without: Record<string, Partial<Record<Flow, string>>> = {
  'AG-UI': {
    'structured output': chatKit,
    resume: 'its HttpAgent cannot connect to a run again: leaving it stops the reply',
  },
  'AI SDK': sdk,
  'assistant-ui': { 'structured output': chatKit },
  CopilotKit: { 'structured output': chatKit },
  'httpx-sse': {
    tools: 'it reads events, whatever they say',
    'structured output': 'it reads events, whatever they say',
  },
  'langchain-openai': { resume: oneRequest },
  litellm: { resume: `${oneRequest}; get_responses reads a kept response whole` },
  llm: {
    timeout: 'its models of OpenAI’s kind have no setting for one',
    resume: oneRequest,
  },
  'npm @anthropic-ai/sdk': messages,
  'python anthropic': messages,
  'python openai 1.': { resume: 'this version knows no Responses' },
  'python-socketio': { 'structured output': follower, stop: goesOn, timeout: goesOn },
  useChat,
};

/** Programs that read or try the server without flows of their own, and what for. */
export const checks: Record<string, string> = {
  'AsyncAPI parser': 'the AsyncAPI document: every channel and message',
  Autobahn: '247 cases of WebSockets on each adapter, against an echo',
  'openapi-python-client': 'a client generated from the OpenAPI document: a run, failures, types by mypy',
  hadolint: 'the Dockerfile, without a warning',
  'rivulet-client': 'our own Python client, from its wheel: streams across cut connections, failures, types by mypy',
  'A2A Python SDK': 'A2A both ways, over both bindings: its client at our agents, our runs at an agent of it',
  datasets: 'the files of datasets, in the columns of OpenAI and TRL',
  'portable-ai-memory': 'the export of memories as Portable AI Memory: its schema, digests and references',
  OTLP: 'traces and metrics as a collector reads them',
  promtool: 'the metrics as Prometheus reads them',
  redocly: 'the OpenAPI document without an error',
  schemathesis: 'requests that keep to the OpenAPI document or break it, on each adapter',
  spectral: 'both documents without an error',
};
