import { expect, it } from 'vitest';
import type { Caller } from '../../../contract/caller.ts';
import type { ImportDoc } from '../record.ts';
import { type ChoiceDeps, chooseRestore } from './choice.ts';

// Whoever is refused is refused before anything is read.
const nothing = {} as ChoiceDeps;

it.each([
  ['an agent', { userId: 7, role: 'Agent' }],
  ['a key of an agent', { userId: null, role: 'Member' }],
])('an export is not restored by %s', async (_who, caller) => {
  const refused = chooseRestore(nothing, caller as Caller, {} as ImportDoc, 1);
  await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN', hint: expect.stringContaining('restore') });
});
