// A call of doc_write whose process dies at any of its writes is made again, and leaves one document with one version of its text.
import { expect, it } from 'vitest';
import type { Collection, Db, Entity } from '../../ports/db.ts';
import type { ToolCaller } from '../part.ts';
import { createDocsWorld } from './testing/world.ts';
import { createDocTools } from './tools.ts';

const writes = new Set(['insertOne', 'insertMany', 'updateOne', 'updateMany', 'findOneAndUpdate', 'deleteOne']);

/** A store whose process dies before a write, counted from `count`. */
function mortal(db: Db) {
  const life = { left: Number.POSITIVE_INFINITY, done: 0 };
  const collection = (source: never) =>
    new Proxy(db.collection(source) as Collection<Entity>, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...all: unknown[]) => {
          if (writes.has(String(name))) {
            if (life.left <= 0) return Promise.reject(new Error('killed'));
            life.left--;
            life.done++;
          }
          return value.apply(target, all);
        };
      },
    });
  const wrapped = new Proxy(db, {
    get: (target, name) => (name === 'collection' ? collection : Reflect.get(target, name)),
  });
  return { life, wrapped };
}

const caller = (key: string): ToolCaller => ({
  ...{ tenantId: 1, identityId: null, projectId: 7, runId: 5, rootRunId: 5, chatSessionId: null, horizon: null },
  ...{ toolCallId: key, idempotencyKey: key, signal: new AbortController().signal },
});

/** Makes the call with each of its writes the last; answers what is there after it was made again. */
async function dyingAtEach(input: object, before: object | null) {
  const ends: unknown[] = [];
  for (let at = 0; ; at++) {
    let life = { left: 0, done: 0 };
    const world = await createDocsWorld((db) => {
      const made = mortal(db);
      life = made.life;
      return made.wrapped;
    });
    await world.project(7);
    const write = createDocTools(world.shelf).find(({ name }) => name === 'doc_write');
    if (before) await write?.handler(before, caller('before'));
    life.left = at;
    const died = await write?.handler(input, caller('once')).then(
      () => false,
      () => true,
    );
    life.left = Number.POSITIVE_INFINITY;
    const answer = await write?.handler(input, caller('once'));
    const again = await write?.handler(input, caller('once'));
    const docs = await world.shelf.docs.of(1).find({ deletedAt: null }).toArray();
    const versions = await world.shelf.versions.of(1).find({}).toArray();
    const texts = await Promise.all(docs.map((doc) => world.shelf.library.contentOf(doc)));
    const open = versions.filter(({ isOpen }) => isOpen).length;
    ends.push({
      at,
      same: answer === again,
      docs: docs.map(({ version }) => version),
      versions: versions.length,
      texts,
      open,
    });
    if (!died) return ends;
  }
}

it('writes a new document once, wherever it died', async () => {
  const ends = await dyingAtEach({ title: 'Locks', content: 'How they work.' }, null);
  expect(ends.length).toBeGreaterThan(3);
  for (const [at, end] of ends.entries())
    expect(end).toEqual({ at, same: true, docs: [1], versions: 1, texts: ['How they work.'], open: 0 });
});

it('writes another text of a document once, wherever it died', async () => {
  const input = { document: 'locks', content: 'How they really work.' };
  const ends = await dyingAtEach(input, { title: 'Locks', content: 'How they work.' });
  expect(ends.length).toBeGreaterThan(3);
  for (const [at, end] of ends.entries())
    expect(end).toEqual({ at, same: true, docs: [2], versions: 2, texts: ['How they really work.'], open: 0 });
});
