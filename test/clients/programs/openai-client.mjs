// The official openai package of npm.
import { OpenAI } from 'openai';
import { API_KEY, ASKED, BASE_URL, MODEL, SCHEMA, say, serve, WEATHER } from './flows.mjs';

const client = ({ key = API_KEY, ...options } = {}) =>
  new OpenAI({ baseURL: `${BASE_URL}/v1`, apiKey: key, maxRetries: 0, ...options });
const ask = (body = {}, openai = client()) =>
  openai.chat.completions.create({ model: MODEL, messages: ASKED, ...body });

await serve({
  async stream() {
    let text = '';
    for await (const chunk of await ask({ stream: true })) text += chunk.choices[0]?.delta.content ?? '';
    return { text };
  },
  async tools() {
    const tools = [{ type: 'function', function: WEATHER }];
    const { message } = (await ask({ tools })).choices[0];
    const [call] = message.tool_calls;
    const messages = [...ASKED, message, { role: 'tool', tool_call_id: call.id, content: 'rain' }];
    const answer = await ask({ tools, messages });
    const { name, arguments: given } = call.function;
    return { name, arguments: JSON.parse(given), text: answer.choices[0].message.content };
  },
  async structured() {
    const json_schema = { name: 'place', schema: SCHEMA, strict: true };
    const answer = await client().chat.completions.parse({
      model: MODEL,
      messages: ASKED,
      response_format: { type: 'json_schema', json_schema },
    });
    return { value: JSON.parse(answer.choices[0].message.content) };
  },
  fail: async ({ key, model = MODEL }) => ask({ model }, client(key && { key })),
  async leave() {
    for await (const chunk of await ask({ stream: true })) if (chunk.choices[0]?.delta.content) break;
    return { left: true };
  },
  timeout: async () => ask({}, client({ timeout: 500 })),
  async respond() {
    const { responses } = client();
    const first = await responses.create({ model: MODEL, input: 'Hello?' });
    const types = [];
    const body = { model: MODEL, input: 'And?', previous_response_id: first.id, stream: true };
    for await (const event of await responses.create(body)) types.push(event.type);
    return { text: first.output_text, first: types[0], last: types.at(-1) };
  },
  async resume() {
    const { responses } = client();
    const seen = [];
    for await (const event of await responses.create({ model: MODEL, input: 'x', background: true, stream: true })) {
      seen.push(event);
      if (event.type === 'response.output_text.delta') break;
    }
    say({ cut: true });
    const starting_after = seen.at(-1).sequence_number;
    for await (const event of await responses.retrieve(seen[0].response.id, { stream: true, starting_after }))
      seen.push(event);
    const deltas = seen.filter(({ type }) => type === 'response.output_text.delta');
    const numbers = seen.map(({ sequence_number }) => sequence_number);
    return { text: deltas.map(({ delta }) => delta).join(''), numbers, last: seen.at(-1).type };
  },
  async embed() {
    const answer = await client().embeddings.create({ model: 'openai:fake-embed', input: [[9906, 1917]] });
    return { length: answer.data[0].embedding.length };
  },
});
