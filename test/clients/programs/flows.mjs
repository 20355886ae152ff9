// Carries out flows of a client on request: a JSON line in, a JSON line out.
import { createInterface } from 'node:readline';

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
  const bases = [];
  for (let at = Object.getPrototypeOf(error); at; at = Object.getPrototypeOf(at)) bases.push(at.constructor.name);
  return { error: bases[0], bases, message: error.message, status_code: error.status, code: error.code };
}

export async function serve(flows) {
  const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
  say({ ready: true });
  for await (const line of createInterface({ input: process.stdin })) {
    const { flow, ...options } = JSON.parse(line);
    say(await flows[flow](options).catch(failure));
  }
}
