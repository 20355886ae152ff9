import { expect, it } from 'vitest';
import type { DemoStatusDto } from '../../../client/index.ts';
import { madeOf, waysOf } from './demo-state.ts';

const none: DemoStatusDto = {
  ...{ seeded: false, size: null, createdCounts: {}, removedCounts: {}, demoUsername: null, demoPassword: null },
  ...{ projectId: null, activeDemoRunIds: [], seededAtUtc: null },
};

it('one of a kind is said in the singular', () => {
  expect(madeOf({ ...none, createdCounts: { projects: 1, identities: 1, chats: 2, runs: 1200, ferries: 3 } })).toBe(
    '1 project, 1 identity, 2 chats, 1,200 runs, 3 ferries',
  );
  expect(madeOf(none)).toBe('');
});

it.each([
  ['where there is none', {}, { fill: true, remove: false }],
  ['where there are runs only', { createdCounts: { runs: 1 } }, { fill: true, remove: true }],
  ['where it was cut short at its start', { size: 'Small' }, { fill: false, remove: true }],
  ['where it was cut short later', { size: 'Small', createdCounts: { users: 1 } }, { fill: false, remove: true }],
  ['where it is', { seeded: true, size: 'Small', createdCounts: { users: 1 } }, { fill: false, remove: true }],
] as const)('it is filled and removed as the server allows, %s', (_, demo, ways) => {
  expect(waysOf({ ...none, ...demo })).toEqual(ways);
});
