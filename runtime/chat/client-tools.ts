// Tools that run in the chat's client: offered to the model like any other; a later request brings the result.
import type { ModelTool } from '../model.ts';
import type { LiveReply } from './live.ts';
import type { ChatTool, ClientResult } from './ports.ts';
import type { ChatToolCall, MessageRecord, ReplyOptions } from './records.ts';
import { finish } from './tool-calls.ts';

/** The tools that a reply's request declared. */
export function clientTools({ clientToolsJson }: ReplyOptions): ChatTool[] {
  if (clientToolsJson === undefined) return [];
  return (JSON.parse(clientToolsJson) as ModelTool[]).map(({ name, description, inputSchema }) => ({
    name,
    displayName: name,
    description,
    category: 'client',
    source: 'Agent',
    risk: 'Safe',
    sandboxed: false,
    input: { jsonSchema: inputSchema },
    ofClient: true,
    handler: () => Promise.reject(new Error(`${name} is a tool of the client`)),
  }));
}

/** Calls of the newest step that wait for their client's result. */
export const awaitingClient = ({ steps }: MessageRecord): ChatToolCall[] =>
  steps.at(-1)?.toolCalls.filter(({ status }) => status === 'AwaitingClient') ?? [];

/** Writes results into the calls that wait for them; other results are ignored. */
export function takeResults(live: LiveReply, results: readonly ClientResult[]): void {
  for (const call of awaitingClient(live.message)) {
    const result = results.find(({ toolCallId }) => toolCallId === call.id);
    if (result) finish(live, call, result.isError ? 'Failed' : 'Succeeded', result.content);
  }
}
