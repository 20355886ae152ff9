// The official @anthropic-ai/sdk package of npm.
import { Anthropic } from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import { API_KEY, ASKED, BASE_URL, MODEL, SCHEMA, serve, WEATHER } from './flows.mjs';

const { name, description, parameters: input_schema } = WEATHER;
const tools = [{ name, description, input_schema }];
const client = ({ key = API_KEY, ...options } = {}) =>
  new Anthropic({ baseURL: BASE_URL, apiKey: key, maxRetries: 0, ...options });
const question = { model: MODEL, max_tokens: 100, messages: ASKED };
const ask = (body = {}, anthropic = client()) => anthropic.messages.create({ ...question, ...body });

await serve({
  async stream() {
    const stream = client().messages.stream(question);
    let text = '';
    stream.on('text', (delta) => {
      text += delta;
    });
    return { stop: (await stream.finalMessage()).stop_reason, text };
  },
  async tools() {
    const { content } = await ask({ tools });
    const call = content.find(({ type }) => type === 'tool_use');
    const result = { type: 'tool_result', tool_use_id: call.id, content: 'rain' };
    const messages = [...ASKED, { role: 'assistant', content }, { role: 'user', content: [result] }];
    const answer = await ask({ tools, messages });
    return { name: call.name, arguments: call.input, text: answer.content[0].text };
  },
  async structured() {
    const output_config = { format: jsonSchemaOutputFormat(SCHEMA) };
    return { value: (await client().messages.parse({ ...question, output_config })).parsed_output };
  },
  fail: async ({ key, model = MODEL }) => ask({ model }, client(key && { key })),
  async leave() {
    for await (const event of await ask({ stream: true })) if (event.type === 'content_block_delta') break;
    return { left: true };
  },
  timeout: async () => ask({}, client({ timeout: 500 })),
  async count() {
    return { tokens: (await client().messages.countTokens({ model: MODEL, messages: ASKED })).input_tokens };
  },
});
