// Nothing of a group is left out: its contracts, events and part are on the lists, are served, and have samples.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventSpec } from '../../src/contract/event.ts';
import { topics } from '../../src/contract/topics.ts';
import { eventTypes } from '../../src/groups/events.ts';
import { groups } from '../../src/groups/index.ts';
import type { TopicBase } from '../../src/groups/part.ts';
import { parts } from '../../src/groups/parts.ts';
import { operations, paramsOf } from '../support/operations.ts';
import { operationsOf } from '../support/part-samples.ts';
import { byHand, sampled, samples } from '../support/samples.ts';

const root = join(import.meta.dirname, '../../src/groups');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
const exportsOf = async (name: string): Promise<[string, object][]> => {
  const found = files.filter((path) => path.endsWith(`/${name}`));
  const modules = await Promise.all(found.map((path) => import(join(root, path)) as Promise<object>));
  return modules.flatMap((one) => Object.entries(one)).filter(([, value]) => typeof value === 'object');
};
const hint = 'run npm run openapi';

describe('the lists of groups, events and parts', () => {
  it('hold every group of every contract', async () => {
    const declared = (await exportsOf('contract.ts')).filter(([, value]) => 'operations' in value && 'base' in value);
    const missing = declared.filter(([name, value]) => (groups as Record<string, unknown>)[name] !== value);
    expect(missing.map(([name]) => `${name}: ${hint}`)).toEqual([]);
    expect(declared).toHaveLength(Object.keys(groups).length);
  });

  it('hold every event', async () => {
    const declared = (await exportsOf('events.ts')).flatMap(([, table]) => Object.keys(table));
    expect(declared.filter((type) => !(type in eventTypes)).map((type) => `${type}: ${hint}`)).toEqual([]);
  });

  it('are complemented by the types of every answer in the client', () => {
    const client = readFileSync(join(root, '../client/answers.ts'), 'utf8');
    // Answers of /v1 are those of other clients' own types.
    const declared = files.filter((path) => path.endsWith('/dto.ts') && path !== 'chat-completions/dto.ts');
    const missing = declared.filter((path) => !client.includes(`'../groups/${path}'`));
    expect(missing.map((path) => `${path}: ${hint}`)).toEqual([]);
  });

  it('hold every part', async () => {
    const declared = await exportsOf('part.ts');
    const listed: readonly object[] = parts;
    const missing = declared.filter(([, value]) => !listed.includes(value));
    expect(missing.map(([name]) => `${name}: ${hint}`)).toEqual([]);
  });
});

describe('the topics', () => {
  it('have one rule each who may follow them', () => {
    const base = { findRun: async () => null, db: { collection: () => ({}) }, auth: {} } as unknown as TopicBase;
    const kinds = parts.flatMap((part) => Object.keys(part.topics?.(base) ?? {}));
    const named = topics.map(({ pattern }) => pattern).filter((pattern) => pattern.endsWith(':*'));
    expect(kinds.sort()).toEqual(named.map((pattern) => pattern.slice(0, -2)).sort());
  });

  it('are those that events travel on', () => {
    const known = new Set<string>(topics.map(({ pattern }) => pattern));
    const unknown = Object.entries<EventSpec>(eventTypes).flatMap(([type, { topics: on }]) =>
      on.filter((topic) => !known.has(topic)).map((topic) => `${type} on ${topic}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('each part', () => {
  const withIds = operations.filter(({ template }) => paramsOf(template).length > 0);
  /** About what comes with the server and is everybody's. */
  const everybodys = 'Help_feedback';

  it('has a sample of each operation that takes ids, by which the walk of tenants reaches it', () => {
    const wanted = withIds.filter(({ id, operation }) => operation.needs !== 'public' && id !== everybodys);
    const without = wanted.filter(({ id }) => !Object.hasOwn(samples, id));
    const how = 'name it in a sample of its part, or where it takes more than that in test/support/samples.ts';
    expect(without.map(({ id }) => `${id}: ${how}`)).toEqual([]);
  });

  it('has no sample of what is not there', () => {
    const known = new Set(withIds.map(({ id }) => id));
    expect(Object.keys(samples).filter((id) => !known.has(id))).toEqual([]);
  });

  it('gives a body to each operation of its sample that needs one', () => {
    const lacking = sampled.flatMap((sample) =>
      operationsOf(sample, sampled)
        .filter(
          ({ id, verb, operation }) => operation.body && verb !== 'create' && !sample.bodies[verb] && !byHand.has(id),
        )
        .map(({ id }) => id),
    );
    expect(lacking).toEqual([]);
  });
});
