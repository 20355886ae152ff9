import { expect, test } from 'vitest';
import { toolInfo } from '../../runtime/tool-schema.ts';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { chooseDriver } from '../drivers/choose-driver.ts';
import { callTool } from '../testing/tool-call.ts';
import { Workspaces } from '../workspace/workspaces.ts';
import { RunSandboxes } from './run-sandboxes.ts';
import { sandboxTools } from './tools.ts';

const clock = new SimulatedClock();
const run = { id: 1, tenantId: 1, projectId: null, workspaceId: null, rootRunId: 1, parentRunId: null };

async function toolsWithoutDriver(withoutDriver?: 'tell') {
  const runs = new RunSandboxes({
    driver: await chooseDriver('off', []),
    workspaces: new Workspaces({ directory: '/nonexistent', clock }),
    directory: '/nonexistent',
    clock,
  });
  return sandboxTools({ runs, commandTimeoutMs: 60_000, ...(withoutDriver ? { withoutDriver } : {}) });
}

test('without a driver a run that needs one fails at once with cause and cure', async () => {
  const outcome = await callTool(await toolsWithoutDriver(), 'shell_exec', { command: 'true' }, run);
  expect(outcome).toMatchObject({ isError: true, end: { status: 'Failed' } });
  expect(outcome.content).toMatch(/turned off.*RIVULET_SANDBOX/);
});

test('or its model is told, where the server prefers that', async () => {
  const tools = await toolsWithoutDriver('tell');
  await expect(callTool(tools, 'shell_exec', { command: 'true' }, run)).rejects.toMatchObject({
    code: 'NOT_CONFIGURED',
  });
});

test('arguments are checked, and models are told their form', async () => {
  const tools = await toolsWithoutDriver();
  await expect(callTool(tools, 'shell_exec', { command: '' }, run)).rejects.toThrow(/command/);
  await expect(callTool(tools, 'shell_exec', { command: 'x', timeoutMs: 60_001 }, run)).rejects.toThrow(/timeoutMs/);
  await expect(callTool(tools, 'file_write', { path: 'a' }, run)).rejects.toThrow(/content/);
  expect(tools.map((tool) => [tool.name, toolInfo(tool).source, toolInfo(tool).sandboxed])).toEqual([
    ['shell_exec', 'Sandbox', true],
    ['file_read', 'Workspace', false],
    ['file_write', 'Workspace', false],
    ['file_list', 'Workspace', false],
  ]);
});
