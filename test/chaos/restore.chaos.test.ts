// The server killed at moments of every step of a restore, the late ones as often as the early ones: while the export is
// read and scrubbed, decided on, committed and taken back. Everything is there once, and then nothing is.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { type ChildServer, createChildServer } from '../support/child-server.ts';
import { importsOf } from '../support/imports.ts';
import { canonical, type Portable } from '../support/portable.ts';
import { liveRandomly } from '../support/random-identity.ts';
import { exportedFrom, fillRichly } from '../support/rich-identity.ts';
import { randomOf, seed } from '../support/seed.ts';
import { startTestServer } from '../support/test-server.ts';

const copies = 8;
/** How often the server dies in each step: once in each part of it. */
const kills = { parse: 1, commit: 4, undo: 2 } as const;
const mostRounds = 4;
const patient = { timeout: 120_000, interval: 20 };
const busy = /^(Parsing|Scrubbing|Committing)$/;

let server: ChildServer;
let client: Client;
let document: Portable;
const next = randomOf(seed);
beforeAll(async () => {
  const from = await startTestServer();
  const id = await fillRichly(from);
  await liveRandomly(from, id, next);
  document = grown(await exportedFrom(from, id));
  await from.close();
  // It is asked how far it is as fast as it answers.
  server = await createChildServer({ RIVULET_KEY_REQUESTS: '1000000' });
  await server.start();
  client = createClient({ baseUrl: server.baseUrl, token: server.key });
});
afterAll(() => server?.close());

const repeated = 'memory rule hint document session reflection comment message run note'.split(' ');

/** A document with many more of what one entry is of each kind, so that each step takes a while. */
function grown({ atoms, artifacts, ...rest }: Portable): Portable {
  const copied = (all: Portable['atoms']) => {
    const first = new Set<string>();
    return all.flatMap((one) => {
      if (!repeated.includes(one.kind) || first.has(one.kind)) return [one];
      first.add(one.kind);
      return [one, ...Array.from({ length: copies }, (_, at) => copyOf(one, at))];
    });
  };
  return { ...rest, atoms: copied(atoms), artifacts: copied(artifacts) };
}

function copyOf(one: Portable['atoms'][number], at: number): Portable['atoms'][number] {
  const marked = (name: string, mark: string) => typeof one[name] === 'string' && { [name]: `${one[name]}${mark}` };
  const texts = ['title', 'content', 'triggerContext', 'goal'].map((name) => marked(name, ` (${at})`));
  return Object.assign({ ...one, id: randomUUID() }, ...texts, marked('path', `-${at}`), marked('slug', `-${at}`));
}

it(`restores once and takes back all, through kills in every step (seed ${seed})`, async () => {
  const where = { url: server.baseUrl, key: server.key };
  const { call, data, upload } = importsOf(where);
  const bytes = Buffer.from(JSON.stringify(document));
  const before = await client.exports.manifest({ query: {} });
  const hits: string[] = [];
  const at = (id: number) => client.imports.get({ params: { id } });
  /** How far a job is, by what it says of itself. */
  const markOf = async (id: number) => {
    const { statusId, progressPercent, itemCount } = await at(id);
    return { isBusy: busy.test(statusId), mark: `${statusId} ${itemCount} ${progressPercent} %` };
  };

  /** The marks that a job passes when nothing happens to it. */
  async function marksOf(id: number): Promise<string[]> {
    const marks: string[] = [];
    for (;;) {
      const { isBusy, mark } = await markOf(id);
      if (!isBusy) return marks;
      if (marks.at(-1) !== mark) marks.push(mark);
    }
  }

  /** Kills the server once in each part of a job, at a mark that is drawn there, and waits until the job has ended. */
  async function through(step: keyof typeof kills, id: number, marks: readonly string[]): Promise<void> {
    for (let part = 0; part < kills[step]; part++) {
      const from = Math.floor(((part + next()) / kills[step]) * marks.length);
      const wanted = new Set(marks.slice(from));
      for (;;) {
        const { isBusy, mark } = await markOf(id);
        if (!isBusy) return;
        if (!wanted.has(mark)) continue;
        hits.push(`${step}: ${mark}`);
        break;
      }
      await server.kill();
      await server.start();
    }
    await expect.poll(async () => (await markOf(id)).isBusy, patient).toBe(false);
  }

  /** Begins a job; a server that is killed answers nothing, and what it refuses is a fault. */
  async function begin(id: number, what: 'commit' | 'undo', body: object): Promise<() => Promise<void>> {
    const { statusId: from } = await at(id);
    const asked = call('POST', `/${id}/${what}`, body).then(
      ({ body: said }) => said.error ?? null,
      () => null,
    );
    while ((await at(id)).statusId === from && !(await Promise.race([asked, null])));
    return async () => expect(await asked).toBeNull();
  }
  const upTo = async () => (await data(upload(bytes, {}, 'iris.json'))).id as number;
  const approve = (id: number) => call('PATCH', `/${id}/review`, { approveAll: true });
  const restored = async (id: number) => {
    const { statusId, identityId, errorMessage } = await at(id);
    expect([statusId, errorMessage]).toEqual(['Committed', null]);
    return canonical(await exportedFrom(where, identityId as number));
  };
  const isGone = async (id: number) => {
    expect(await at(id)).toMatchObject({ statusId: 'ReadyForReview', memoryCount: 0, restoredCount: 0 });
    const { exportedAtUtc: _, ...left } = await client.exports.manifest({ query: {} });
    expect(before).toMatchObject(left);
  };

  const first = await upTo();
  const marks = { parse: await marksOf(first), commit: [] as string[], undo: [] as string[] };
  await data(approve(first));
  await begin(first, 'commit', { restore: true });
  marks.commit = await marksOf(first);
  const undisturbed = await restored(first);
  await begin(first, 'undo', {});
  marks.undo = await marksOf(first);
  await isGone(first);
  await data(call('DELETE', `/${first}`));

  const ofCommit = () => hits.filter((one) => one.startsWith('commit')).length;
  // A server that is back goes on at once, and may be past a part before it is looked at: then it all happens again.
  for (let round = 0; ofCommit() < kills.commit; round++) {
    expect(round).toBeLessThan(mostRounds);
    const id = await upTo();
    await through('parse', id, marks.parse);
    const decided = approve(id).catch(() => null);
    await server.kill();
    await decided;
    await server.start();
    await data(approve(id));
    const committed = await begin(id, 'commit', { restore: true });
    await through('commit', id, marks.commit);
    await committed();
    expect(await restored(id)).toEqual(undisturbed);
    expect(undisturbed).toEqual(canonical(document));
    const undone = await begin(id, 'undo', {});
    await through('undo', id, marks.undo);
    await undone();
    await isGone(id);
    await data(call('DELETE', `/${id}`));
  }
  console.log(`killed at: ${hits.join(', ')}; marks: ${Object.values(marks).map((all) => all.length)}`);
});
