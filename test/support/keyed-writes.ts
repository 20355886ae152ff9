// Writes with Idempotency-Keys through a server that is killed again and again, each repeated until it is answered.
import { expect } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import type { ChildServer } from './child-server.ts';
import { request } from './test-server.ts';

interface Storm {
  server: ChildServer;
  /** How many writes, how many at once, and how often the server is killed meanwhile. */
  keys: number;
  atOnce: number;
  kills: number;
  random: () => number;
}

/** A fifth tops the pool up: what was done twice shows only where the server dies between the change and its answer. */
const isTop = (at: number) => at % 10 >= 8;

interface Written {
  id: number;
  content: string;
}

/**
 * Writes notes and messages, and tops a pool up, each with a key. Whoever gets no answer repeats the request as soon as
 * the server is up again. Checks that each was made once, and that every answer with a key is the same one.
 */
export async function surviveKills({ server, keys, atOnce, kills, random }: Storm): Promise<void> {
  const client = () => createClient({ baseUrl: server.baseUrl, token: server.key });
  const { id } = await client().agentRuns.create({ body: { goal: 'Be written to.' } });
  const before = (await client().agentRuns.get({ params: { id } })).poolTokenBudget ?? 0;
  const run = `/api/agent/runs/${id}`;
  const answers = new Map<string, number | null>();
  const refused: string[] = [];
  /** Resolves when the server is up. */
  let up = Promise.resolve();
  let answered = 0;

  const ask = async (key: string, path: string, body: unknown): Promise<Written> => {
    for (;;) {
      await up;
      const headers = { authorization: `Bearer ${server.key}`, 'idempotency-key': key };
      const answer = await request(server.baseUrl, 'POST', path, body, headers).catch(() => null);
      if (answer?.status === 200) {
        answered++;
        return answer.body.data;
      }
      if (answer === null) continue;
      // What a dying server says of itself is no answer; that a dead one still works on it would be.
      if (answer.status < 500) refused.push(`${key}: ${answer.status} ${answer.body.errorCode}`);
      if (refused.length > 20) throw new Error(refused.join('\n'));
    }
  };

  const write = async (at: number) => {
    const key = `key-${at}`;
    if (isTop(at)) return void (await ask(key, `${run}/pool`, { addTokens: 1 }));
    const [path, body] = at % 10 === 7 ? ['messages', { content: key }] : ['notes', { content: key }];
    answers.set(key, (await ask(key, `${run}/${path}`, body)).id);
  };

  let next = 0;
  const writers = Array.from({ length: atOnce }, async () => {
    while (next < keys) await write(next++);
  });
  const killing = (async () => {
    for (let kill = 1; kill <= kills; kill++) {
      const due = Math.floor(((kill - random()) / kills) * keys * 0.9);
      await expect.poll(() => answered, { interval: 2, timeout: 300_000 }).toBeGreaterThanOrEqual(due);
      let ready = () => {};
      up = new Promise((done) => {
        ready = done;
      });
      await server.kill();
      await server.start();
      ready();
    }
  })();
  await Promise.all([...writers, killing]);

  expect(refused).toEqual([]);
  const made = new Map<string, number[]>();
  const collect = (items: readonly Written[]) => {
    for (const item of items) made.set(item.content, [...(made.get(item.content) ?? []), item.id]);
  };
  for (let page = 1, pages = 1; page <= pages; page++) {
    const notes = await client().agentNotes.list({ params: { runId: id }, query: { page, pageSize: 200, sort: 'id' } });
    collect(notes.items);
    pages = Math.ceil(notes.totalCount / 200);
  }
  for (let page = 1, pages = 1; page <= pages; page++) {
    const query = { page, pageSize: 200 };
    const messages = await client().agentMessages.list({ params: { runId: id }, query });
    collect(messages.items);
    pages = Math.ceil(messages.totalCount / 200);
  }
  const wrong = [...answers].filter(([key, answer]) => made.get(key)?.length !== 1 || made.get(key)?.[0] !== answer);
  expect(wrong.map(([key, answer]) => ({ key, answer, made: made.get(key) }))).toEqual([]);
  const tops = Array.from({ length: keys }, (_, at) => at).filter(isTop).length;
  expect((await client().agentRuns.get({ params: { id } })).poolTokenBudget).toBe(before + tops);
}
