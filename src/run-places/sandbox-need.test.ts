import { expect, it } from 'vitest';
import type { ToolDefinition, ToolPolicy } from '../../runtime/ports.ts';
import type { RunRecord } from '../../runtime/records.ts';
import { chooseDriver } from '../../sandbox/drivers/choose-driver.ts';
import { requireSandbox, shownTools } from './sandbox-need.ts';

const none = await chooseDriver('off', []);
const run = { id: 1, contractDestination: null } as RunRecord;
const policy = (lists: Partial<ToolPolicy>): ToolPolicy => ({ safe: [], optIn: [], blocked: [], layers: [], ...lists });
const begin = (lists?: Partial<ToolPolicy>) => {
  const briefing = { system: 'Work.', ...(lists ? { policy: policy(lists) } : {}) };
  const { prepare } = requireSandbox({ prepare: async () => briefing }, none);
  return prepare(run, new AbortController().signal);
};

it('refuses a run whose policy names commands, with cause and cure', async () => {
  for (const lists of [{ safe: ['shell_exec', '*'] }, { sandboxed: ['shell_exec'] }])
    await expect(begin(lists)).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      hint: expect.stringContaining('RIVULET_SANDBOX'),
    });
});

it('lets the others go on', async () => {
  for (const lists of [undefined, {}, { safe: ['*'] }, { safe: ['shell_exec'], blocked: ['shell_exec'] }])
    await expect(begin(lists)).resolves.toMatchObject({ system: 'Work.' });
});

it('keeps from models what cannot work, and only that', () => {
  const tools = [
    { name: 'shell_exec', sandboxed: true },
    { name: 'file_read', sandboxed: false },
  ] as ToolDefinition[];
  expect(shownTools(tools, none).map((tool) => tool.shown)).toEqual([false, undefined]);
});
