// Carries out flows of a client on request: a JSON line in, a JSON line out.
import { Console } from 'node:console';
import { createInterface } from 'node:readline';

// What clients print is not for whoever reads the answers.
globalThis.console = new Console(process.stderr);

export const { BASE_URL, API_KEY } = process.env;
export const MODEL = 'openai:fake-model';
export const ASKED = [{ role: 'user', content: 'Hello?' }];
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
export const WEATHER = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** What a program that catches the error would look at. */
function failure(error) {
  const bases = [error.name];
  for (let at = Object.getPrototypeOf(error); at; at = Object.getPrototypeOf(at)) bases.push(at.constructor.name);
  return {
    error: bases[1],
    bases,
    message: error.message,
    status_code: error.status ?? error.statusCode,
    code: error.code,
  };
}

export const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

export async function serve(flows) {
  say({ ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const { flow, ...options } = JSON.parse(line);
    say(await flows[flow](options).catch(failure));
  }
}

/** A request to the server's own interface; what its envelope holds. */
export async function api(method, path, body) {
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(BASE_URL + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const { data, ...refused } = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(refused));
  return data;
}

/** A session that has a title, so that the model is asked for none. */
export const newChat = async (more = {}) =>
  String((await api('POST', '/api/chat/sessions', { title: 'x', ...more })).id);

/** `fetch` with a time limit in milliseconds, for whatever a request has to say until its end. */
export const fetchWithin = (limit) => (url, request) => {
  const signals = [AbortSignal.timeout(limit), ...(request.signal ? [request.signal] : [])];
  return fetch(url, { ...request, signal: AbortSignal.any(signals) });
};

/** Waits for a condition as front ends wait for a state to be drawn. */
export async function until(met) {
  for (let tries = 0; tries < 3000; tries++) {
    if (met()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`never: ${met}`);
}
