// What parts keep in a project, and below that, asked for by every operation that takes its id: it is not there for who is
// no member, and who may only look changes nothing.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResourceSample } from '../../src/groups/part.ts';
import { fillPath, schemaOf } from '../support/operations.ts';
import { callOf, operationsOf } from '../support/part-samples.ts';
import { startWithPeople } from '../support/people.ts';
import { byHand, sampled } from '../support/samples.ts';

let stand: Awaited<ReturnType<typeof startWithPeople>>;
let projectId: number;
beforeAll(async () => {
  stand = await startWithPeople([], { stranger: 'Operator', viewer: 'Operator' });
  projectId = (await stand.as('owner', 'POST', '/api/projects', { name: 'Hidden' })).body.data.id;
  const { userId } = stand.person('viewer');
  await stand.as('owner', 'PUT', `/api/projects/${projectId}/members`, { members: [{ userId, role: 'Viewer' }] });
});
afterAll(() => stand.close());

/** Whether one of them may be made in a project. */
const isOfProject = ({ of }: ResourceSample) => {
  const { create } = of.operations;
  return create !== undefined && schemaOf(create, 'body')?.properties?.projectId !== undefined;
};
const walked = sampled.flatMap((sample) =>
  operationsOf(sample, sampled)
    .filter(({ id, operation }) => operation.needs !== 'public' && !byHand.has(id))
    .map((one) => ({ ...one, sample, template: sample.of.base + one.operation.path })),
);
/** Groups of which something was made in the project, or below what was. */
const found = new Set<string>();

it.each(walked)(
  '$id is closed to who is no member, and changes nothing for who may only look',
  async ({ sample, template, ...one }) => {
    let isInside = false;
    const post = async (path: string, body: unknown, of: ResourceSample): Promise<object> => {
      const within = isOfProject(of) ? { projectId } : {};
      isInside ||= isOfProject(of);
      return (await stand.as('owner', 'POST', path, { ...(body as object), ...within })).body.data;
    };
    const { params, body } = await callOf(one, sample, sampled, `Walls ${one.id}`, post);
    if (!isInside) return;
    found.add(sample.of.id);
    const { method } = one.operation;
    const path = fillPath(template, (name) => params[name] as number);
    const stranger = await stand.as('stranger', method, path, body);
    expect([stranger.status, stranger.body.errorCode]).toEqual([404, 'NOT_FOUND']);
    const mayLook = method === 'GET' || one.operation.needs.endsWith('Read');
    const viewer = await stand.as('viewer', method, path, body);
    expect(viewer.status).toBe(mayLook ? 200 : 403);
    // It was there all the time.
    const owner = await stand.as('owner', method, path, body);
    expect([owner.status, owner.body.errorCode ?? null]).toEqual([200, null]);
  },
);

it('finds something of every part that keeps things in projects', () => {
  const ids = sampled.filter(isOfProject).map(({ of }) => of.id);
  expect(ids.filter((id) => !found.has(id))).toEqual([]);
});
