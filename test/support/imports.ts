// Uploads archives to a server under test, and waits until they are read.
import { expect } from 'vitest';
import { type Answer, request } from './test-server.ts';

export interface Where {
  url: string;
  key: string;
}

/** The form of an upload. */
export function formOf(bytes: Uint8Array | Blob, fields: Readonly<Record<string, string>>, name = 'export.zip') {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', bytes instanceof Blob ? bytes : new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  return form;
}

/** The form of an upload that holds a memory and a fact. */
export const smallForm = (fields: Readonly<Record<string, string>>) => {
  const atoms = [
    { kind: 'memory', title: 'Anchor', content: 'The anchor is green.' },
    { kind: 'fact', key: 'anchor.colour', value: 'green' },
  ];
  return formOf(Buffer.from(JSON.stringify({ atoms, artifacts: [] })), fields, 'portable.json');
};

export function importsOf(server: Where) {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> =>
    request(server.url, method, `/api/import${path}`, body, { authorization: `Bearer ${server.key}` });
  const data = async (answer: Promise<Answer>) => {
    const { body } = await answer;
    expect(body.error ?? null).toBeNull();
    return body.data;
  };
  const upload = async (
    bytes: Uint8Array | Blob,
    fields: Readonly<Record<string, string>> = {},
    name = 'export.zip',
  ) => {
    return request(server.url, 'POST', '/api/import/upload', formOf(bytes, fields, name), {
      authorization: `Bearer ${server.key}`,
    });
  };
  const ended = async (id: number, timeout = 30_000) => {
    await expect
      .poll(async () => (await call('GET', `/${id}`)).body.data?.statusId, { timeout, interval: 50 })
      .not.toMatch(/^(Parsing|Scrubbing|Committing)$/);
    return data(call('GET', `/${id}`));
  };
  return {
    call,
    data,
    upload,
    ended,
    /** Uploads it and waits until it is ready or has failed. */
    read: async (bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}, name?: string) => {
      const made = await data(upload(bytes, fields, name));
      return ended(made.id);
    },
    review: (id: number, query = '') => data(call('GET', `/${id}/review${query}`)),
  };
}
