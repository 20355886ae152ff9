// What the audit log is told of requests, over real sockets.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AuditedOperation } from '../ports/audit.ts';
import { asking } from './testing/asking.ts';
import { type Sample, serveSample } from './testing/sample.ts';

let sample: Sample;
const told: AuditedOperation[] = [];
beforeAll(async () => {
  sample = await serveSample('node', {
    audit: async (operation) => {
      told.push(operation);
      if (JSON.stringify(operation.body)?.includes('lose it')) throw new Error('the log is full');
    },
  });
});
afterAll(() => sample.close());
beforeEach(() => void told.splice(0));
const ask = asking(() => sample.url);

it('is told of a write before its caller is answered, with who, what and from where', async () => {
  const answer = await ask('POST', '/api/notes', { text: 'written' }, { 'user-agent': 'test/1' });
  expect(told).toMatchObject([
    {
      id: 'Notes_create',
      group: 'Notes',
      outcome: 'Success',
      fault: null,
      caller: { name: 'writer', tenantId: 1 },
      body: { text: 'written' },
      writes: [],
      requestId: answer.body.requestId,
      ip: '127.0.0.1',
      userAgent: 'test/1',
    },
  ]);
});

it('is told once of a request that is repeated with its key, and never of a read', async () => {
  const headers = { 'idempotency-key': 'audited-once' };
  for (let i = 0; i < 2; i++) await ask('POST', '/api/notes', { text: 'once' }, headers);
  await ask('GET', '/api/notes/7');
  expect(told.map(({ id }) => id)).toEqual(['Notes_create']);
});

it('is told of those who may not, reads included, and of writes that break off, but not of those that are refused', async () => {
  await ask('GET', '/api/notes/7', undefined, { authorization: 'Bearer guest' });
  await ask('POST', '/api/notes', { text: 'x' }, { authorization: 'Bearer wrong' });
  await ask('POST', '/api/notes', { text: 'refuse' });
  await ask('POST', '/api/notes', { text: 'break' });
  await ask('GET', '/api/notes/fail/fault');
  expect(told).toMatchObject([
    { id: 'Notes_get', outcome: 'Denied', fault: { code: 'FORBIDDEN' }, caller: { name: 'guest' }, params: { id: 7 } },
    { id: 'Notes_create', outcome: 'Denied', fault: { code: 'UNAUTHENTICATED' }, caller: null },
    { id: 'Notes_create', outcome: 'Failed', fault: { code: 'INTERNAL_ERROR' }, body: { text: 'break' } },
  ]);
});

it('does not take back what was done when it cannot be told', async () => {
  sample.lines.length = 0;
  expect((await ask('POST', '/api/notes', { text: 'lose it' })).status).toBe(200);
  expect(sample.lines).toContainEqual(expect.objectContaining({ msg: 'the audit log was not told' }));
});
