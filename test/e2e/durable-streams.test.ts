// Topics by the Durable Streams protocol: its own client reads a run from the start and live, under the rights of readers.
import { type DurableStreamError, stream } from '@durable-streams/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../support/stage.ts';
import { transports } from '../support/test-server.ts';

interface Message {
  seq: number;
  topic: string;
  type: string;
}

describe.each(transports)('over %s', (transport) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ RIVULET_TRANSPORT: transport });
    stage.cast({ work: [{ calls: [['run_progress', { summary: 'half' }]] }, { text: ['Done.'] }] });
  });
  afterAll(() => stage.close());

  const urlOf = (topic: string) => `${stage.server.url}/api/streams/${encodeURIComponent(topic)}`;
  const bearer = (key = stage.server.key) => ({ authorization: `Bearer ${key}` });
  const read = (topic: string, query = '', headers: Record<string, string> = {}) =>
    fetch(`${urlOf(topic)}${query}`, { headers: { ...bearer(), ...headers } });
  const seqs = (messages: readonly Message[]) => messages.map(({ seq }) => seq);
  const kept = async (topic: string) => (await (await read(topic)).json()) as Message[];

  it.each(['long-poll', 'sse'] as const)('its client follows a run to its end (%s)', async (live) => {
    const run = await stage.start('Work.');
    const topic = `run:${run.id}`;
    const response = await stream<Message>({ url: urlOf(topic), headers: bearer(), offset: '-1', live });
    const seen: Message[] = [];
    for await (const message of response.jsonStream()) seen.push(message);
    expect(seen.at(-1)?.type).toBe('run.ended');
    expect(seen.map(({ type }) => type)).toContain('run.event');
    expect(seqs(seen)).toEqual(seqs(await kept(topic)));
    expect(response.streamClosed).toBe(true);
  });

  it('a reader that comes back goes on at its offset: nothing twice, nothing missing', async () => {
    const topic = 'runs';
    const head = await fetch(urlOf(topic), { method: 'HEAD', headers: bearer() });
    const offset = head.headers.get('stream-next-offset') ?? '';
    expect([head.status, head.headers.get('cache-control'), await head.text()]).toEqual([200, 'no-store', '']);
    const waiting = read(topic, `?offset=${offset}&live=long-poll`);
    const run = await stage.start('Work.');
    await stage.heard(`run-tree:${run.id}`, 'tree.quiesced');
    const first = await waiting;
    const next = first.headers.get('stream-next-offset') ?? '';
    expect([first.status, next > offset ? '' : await first.text()]).toEqual([200, '']);
    const second = await read(topic, `?offset=${next}`);
    const both = [...((await first.json()) as Message[]), ...((await second.json()) as Message[])];
    const all = (await (await read(topic, `?offset=${offset}`)).json()) as Message[];
    expect(both).toEqual(all);
    expect(all.length).toBeGreaterThan(1);
    // Offsets stay good over a restart.
    await stage.server.restart();
    expect(await (await read(topic, `?offset=${offset}`)).json()).toEqual(all);
  });

  it('an answer that has not changed costs a 304, and says when the run has ended', async () => {
    const run = await stage.start('Work.');
    const topic = `run:${run.id}`;
    await stage.heard(topic, 'run.ended');
    const answer = await read(topic);
    expect(answer.headers.get('stream-closed')).toBe('true');
    expect(answer.headers.get('vary')).toContain('authorization');
    const etag = answer.headers.get('etag') ?? '';
    expect((await read(topic, '', { 'if-none-match': etag })).status).toBe(304);
    const followed = await read(topic, '?follow=true', { 'if-none-match': etag });
    expect([followed.status, followed.headers.get('stream-closed')]).toEqual([200, null]);
  });

  it('readers have the rights of other readers, and keep them no longer', async () => {
    const { server } = stage;
    const made = await server.call('POST', '/api/users', { username: `reader-${transport}`, role: 'Viewer' });
    const { id } = made.body.data;
    const key = (await server.call('POST', `/api/users/${id}/apikey`, {})).body.data.rawKey;
    const refused = stream({ url: urlOf('audit'), headers: bearer(key), offset: '-1', live: false });
    await expect(refused).rejects.toMatchObject({ status: 403 } satisfies Partial<DurableStreamError>);
    expect((await read('run:999999')).status).toBe(404);
    expect((await fetch(urlOf('runs'))).status).toBe(401);
    const waiting = fetch(`${urlOf('runs')}?offset=now&live=long-poll`, { headers: bearer(key) });
    const watching = async () => (await server.call('GET', `/api/ws/connections?userId=${id}`)).body.data.totalCount;
    await expect.poll(watching).toBe(1);
    await server.call('DELETE', `/api/users/${id}/apikey`);
    expect((await waiting).status).toBe(401);
    expect(await watching()).toBe(0);
  });

  it('wrong offsets are refused with what to do', async () => {
    const elsewhere = '000001_00000000001_another-store';
    for (const [query, status] of [
      ['?offset=', 400],
      ['?offset=a,b', 400],
      ['?offset=-1&offset=-1', 400],
      ['?live=sse', 400],
      ['?live=perhaps&offset=-1', 400],
      [`?offset=${elsewhere}`, 410],
    ] as const)
      expect([query, (await read('runs', query)).status]).toEqual([query, status]);
    expect((await fetch(urlOf('runs'), { method: 'POST', headers: bearer(), body: '{}' })).status).toBe(405);
  });
});
