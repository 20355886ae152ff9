// The AI SDK with its OpenAI provider as it is: it asks the Responses API, and refers to items of earlier turns.
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, Output, stepCountIs, streamText } from 'ai';
import { API_KEY, BASE_URL, MODEL, SCHEMA, serve, WEATHER } from './flows.mjs';

/** What was sent. */
const bodies = [];
const noting = (url, request) => {
  bodies.push(request.body);
  return fetch(url, request);
};
const model = (name = MODEL, key = API_KEY) =>
  createOpenAI({ baseURL: `${BASE_URL}/v1`, apiKey: key, fetch: noting })(name);
const common = { maxRetries: 0, prompt: 'Hello?' };

/** A tool as the SDK runs it; what it was called with is kept. */
function weather(more = {}) {
  const called = [];
  const execute = async (given) => {
    called.push(given);
    return 'rain';
  };
  const { description, parameters } = WEATHER;
  return { called, tools: { weather: { description, inputSchema: jsonSchema(parameters), execute, ...more } } };
}

await serve({
  async stream() {
    let text = '';
    for await (const delta of streamText({ model: model(), ...common }).textStream) text += delta;
    return { text };
  },
  async tools() {
    const { called, tools } = weather();
    const { text } = await generateText({ model: model(), tools, stopWhen: stepCountIs(3), ...common });
    return { name: 'weather', arguments: called[0], text };
  },
  async structured() {
    const output = Output.object({ schema: jsonSchema(SCHEMA) });
    // Version 5 knows it by another name.
    const answer = await generateText({ model: model(), ...common, output, experimental_output: output });
    return { value: answer.output ?? answer.experimental_output };
  },
  fail: async ({ key, model: name }) => generateText({ model: model(name, key), ...common }),
  async leave() {
    const left = new AbortController();
    const { textStream } = streamText({ model: model(), abortSignal: left.signal, onError() {}, ...common });
    for await (const delta of textStream) {
      if (delta) left.abort();
    }
    return { left: true };
  },
  timeout: async () => generateText({ model: model(), abortSignal: AbortSignal.timeout(500), ...common }),
  /** Two turns in one conversation: what the first one answered goes into the second by reference. */
  async turns() {
    const messages = [{ role: 'user', content: 'Hello?' }];
    const first = await generateText({ model: model(), maxRetries: 0, messages });
    messages.push(...first.response.messages, { role: 'user', content: 'And?' });
    const second = await generateText({ model: model(), maxRetries: 0, messages });
    return { texts: [first.text, second.text], referred: bodies.at(-1).includes('item_reference') };
  },
  /** A call that somebody has to approve in the front end before the SDK carries it out. */
  async approve() {
    const { called, tools } = weather({ needsApproval: true });
    const messages = [{ role: 'user', content: 'Hello?' }];
    const first = await generateText({ model: model(), maxRetries: 0, tools, messages });
    const { approvalId } = first.content.find(({ type }) => type === 'tool-approval-request');
    const before = called.length;
    const approval = { type: 'tool-approval-response', approvalId, approved: true };
    messages.push(...first.response.messages, { role: 'tool', content: [approval] });
    const second = await generateText({ model: model(), maxRetries: 0, tools, messages });
    return { before, called, text: second.text };
  },
});
