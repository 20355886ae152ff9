// A model provider of the Chat Completions API that answers at once, in a process of its own: some tool calls, then an end.
import { createServer, type ServerResponse } from 'node:http';

/** Turns of a run, unless the process is told another number: each but the last calls the tool. */
export const turns = 5;
/** What the last turn says. */
export const lastWords = 'Done.';
/** The tool that every contender offers. */
export const toolName = 'run_progress';

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const head = (object: string) => ({ id: 'chatcmpl-1', object, created: 1, model: 'fake-model' });

function answerTo(messages: readonly { role: string }[], ofRun: number) {
  // By results, as some join their calls in one message.
  const turn = messages.filter(({ role }) => role === 'tool').length;
  if (turn >= ofRun - 1) return { message: { role: 'assistant', content: lastWords }, finish_reason: 'stop' };
  const call = {
    id: `call_${turn}_${Math.random().toString(36).slice(2, 8)}`,
    type: 'function',
    function: { name: toolName, arguments: JSON.stringify({ summary: `step ${turn + 1}` }) },
  };
  return { message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' };
}

function stream(response: ServerResponse, { message, finish_reason }: ReturnType<typeof answerTo>): void {
  const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  const chunk = (delta: unknown, reason: string | null) => ({
    ...head('chat.completion.chunk'),
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const calls = 'tool_calls' in message ? message.tool_calls?.map((call, index) => ({ index, ...call })) : undefined;
  const delta = calls ? { ...message, tool_calls: calls } : message;
  const last = { ...head('chat.completion.chunk'), choices: [], usage };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${frame(chunk(delta, null))}${frame(chunk({}, finish_reason))}${frame(last)}data: [DONE]\n\n`);
}

function serve(ofRun: number): void {
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{"messages":[]}');
    const answer = answerTo(body.messages, ofRun);
    if (body.stream) return stream(response, answer);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...head('chat.completion'), choices: [{ index: 0, ...answer }], usage }));
  });
  // Closing an idle connection would cost a contender a run.
  http.keepAliveTimeout = 600_000;
  http.listen(0, '127.0.0.1', () => {
    const address = http.address();
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
  });
  process.on('disconnect', () => process.exit(0));
}

if (process.argv[1] === import.meta.filename) serve(Number(process.argv[2] ?? turns));
