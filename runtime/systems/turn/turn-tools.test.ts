import { expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolDefinition, ToolPolicy, Tools } from '../../ports.ts';
import { combineTools } from '../../tools/combined-tools.ts';
import { turnTools } from './turn-tools.ts';

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  category: 'test',
  source: 'Agent',
  risk: 'Safe',
  sandboxed: false,
  displayName: name,
  description: name,
  input: z.strictObject({}),
  handler: async () => ({ content: '' }),
  ...more,
});
const list = [tool('a'), tool('b', { shown: false }), tool('c', { toolSet: 'tasks' }), tool('d', { enabled: false })];
const policy = (blocked: string[]): ToolPolicy => ({ safe: [], optIn: [], blocked, layers: [] });
const namesOf = (tools: ReturnType<typeof turnTools>) => ({
  allowed: tools.allowed.map(({ name }) => name),
  offered: tools.offered.map(({ name }) => name),
  onRequest: tools.onRequest,
});

it('tells what a run may use, what its model is told of, and what it may ask for', () => {
  expect(namesOf(turnTools(list, { system: '' }, {}))).toEqual({
    allowed: ['a', 'b', 'c'],
    offered: ['a'],
    onRequest: ['c'],
  });
});

it('is worked out again for another policy, other sets of the role, and sets that the run asked for', () => {
  const first = turnTools(list, { system: '' }, {});
  expect(turnTools(list, { system: 'other' }, {})).toBe(first);
  expect(namesOf(turnTools(list, { system: '', policy: policy(['a']) }, {})).allowed).toEqual(['b', 'c']);
  expect(namesOf(turnTools(list, { system: '', toolSets: ['tasks'] }, {})).offered).toEqual(['a', 'c']);
  expect(namesOf(turnTools(list, { system: '' }, { toolSets: ['tasks'] })).onRequest).toEqual([]);
  expect(turnTools(list, { system: '' }, {})).toEqual(first);
});

it('combined lists are the list of the last time, until one of them is another one', async () => {
  let some = [tool('a')];
  const sourceOf = (tools: () => ToolDefinition[]): Tools => ({ forRun: tools, all: tools });
  const combined = combineTools(
    sourceOf(() => list),
    sourceOf(() => some),
  );
  const run = {} as never;
  const first = await combined.forRun(run);
  expect(first).toEqual(list);
  expect(await combined.forRun(run)).toBe(first);
  some = [tool('e')];
  expect((await combined.forRun(run)).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
});
