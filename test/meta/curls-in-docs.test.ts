// A curl of a document can be sent as it stands: it asks for an operation that takes what it sends, and says that it sends
// JSON: without the header curl calls it a form, which the server refuses.
import { expect, it } from 'vitest';
import { blocksOf } from '../support/documents.ts';
import { operations, schemaOf } from '../support/operations.ts';

/** Each call of curl in the blocks of shells: up to the next one, or to the end of its block. */
const curls = blocksOf('sh').flatMap(({ where, text }) =>
  text
    .split(/^(?= *curl )/m)
    .filter((part) => /^ *curl /.test(part))
    .map((part) => {
      const body = /-d '\s*(\{[\s\S]*\})'/.exec(part)?.[1];
      const [path = '', query = ''] = (/(?:https?:\/\/[\w.:]+|\$URL)(\/[^\s"']*)/.exec(part)?.[1] ?? '').split('?');
      const method = /-X ([A-Z]+)/.exec(part)?.[1] ?? (body === undefined ? 'GET' : 'POST');
      return { where: `${where}: ${method} ${path}`, part, method, path, query, body };
    }),
);

it('every curl that sends JSON says so', () => {
  const sending = curls.filter(({ body }) => body !== undefined);
  expect(sending.length).toBeGreaterThan(5);
  const says = (part: string) => /content-type: application\/json/i.test(part);
  expect(sending.filter(({ part }) => !says(part)).map(({ where }) => where)).toEqual([]);
});

const operationOf = (method: string, path: string) => {
  const asked = path.split('/');
  return operations.find((one) => {
    const served = one.template.split('/');
    const fits = (part: string, at: number) =>
      part === asked[at] || (part.startsWith('{') && /^(\d+|\$\w+)$/.test(asked[at] ?? ''));
    return one.method === method && served.length === asked.length && served.every(fits);
  })?.operation;
};

it('every curl asks for an operation, with parameters and fields that it takes', () => {
  const own = curls.filter(({ path }) => path.startsWith('/api/'));
  expect(own.length).toBeGreaterThan(8);
  const wrong = own.flatMap(({ where, method, path, query, body = '{}' }) => {
    const operation = operationOf(method, path);
    if (!operation) return [`${where} is none`];
    const unknown = (part: 'body' | 'query', names: Iterable<string>) => {
      const taken = Object.keys(schemaOf(operation, part)?.properties ?? {});
      return [...names].filter((name) => !taken.includes(name)).map((name) => `${where} takes no ${name}`);
    };
    return [...unknown('query', new URLSearchParams(query).keys()), ...unknown('body', Object.keys(JSON.parse(body)))];
  });
  expect(wrong).toEqual([]);
});
