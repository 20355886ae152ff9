import { expect, it } from 'vitest';
import { buildOpenApi } from '../../contract/openapi/document.ts';
import { groups } from '../../groups/index.ts';
import { referencePage } from './reference.ts';
import { byTask, tasks } from './reference-tasks.ts';

const document = buildOpenApi(Object.values(groups), { version: '0' });
const operations = Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
  ([path, item]) => Object.entries(item).map(([method, one]) => ({ ...one, method: method.toUpperCase(), path })),
);

it('puts each operation into one task, and each task has some', () => {
  const sections = byTask(operations, new Map());
  const listed = sections.flatMap(({ operations: own }) => own.map(({ operationId }) => operationId));
  expect(listed.toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted());
  // A section named by a tag holds operations that no task asks for.
  expect(sections.map(({ task }) => task.id)).toEqual(tasks.map(({ id }) => id));
  const first = (id: string) => sections.find(({ task }) => task.id === id)?.operations[0]?.operationId;
  expect([first('start'), first('decide')]).toEqual(['AgentRuns_create', 'AgentEscalations_list']);
});

it('keeps what no task asks for under its tag', () => {
  const one = { method: 'GET', path: '/api/fish', tags: ['Fish'] };
  expect(byTask([one], new Map([['Fish', 'All of them.']]))).toEqual([
    { task: { id: 'Fish', title: 'Fish', about: 'All of them.' }, operations: [one] },
  ]);
});

it('writes every operation and schema once, with no script within', () => {
  const page = referencePage(document, '/docs/search.js');
  for (const { operationId } of operations) expect(page.split(`id="${operationId}"`)).toHaveLength(2);
  expect(page.match(/<script[^>]*>[^<]/)).toBeNull();
});
