import { describe, expect, it } from 'vitest';
import { mergeLayers, type PolicyLayer, permits } from './policy.ts';

describe('tool policies', () => {
  const layer = (fields: Partial<PolicyLayer>): PolicyLayer => ({
    name: 'x',
    safeTools: [],
    optInTools: [],
    blockedTools: [],
    sandboxedTools: [],
    discoveryEnabled: true,
    ...fields,
  });

  it('let the most specific safe list count, and add the others up', () => {
    const policy = mergeLayers([
      layer({ safeTools: ['a'], discoveryEnabled: false, blockedTools: ['b'] }),
      layer({ safeTools: ['c_*'], optInTools: ['d'], blockedTools: ['b', 'c_x'] }),
      layer({ sandboxedTools: ['http_fetch'] }),
    ]);
    expect(policy).toMatchObject({
      safe: ['c_*', '*'],
      optIn: ['d'],
      blocked: ['b', 'c_x'],
      sandboxed: ['http_fetch'],
    });
  });

  it('allow nothing but the run’s own tools where nothing is listed or to be discovered', () => {
    const policy = mergeLayers([layer({ discoveryEnabled: false })]);
    expect(['run_complete', 'shell_exec'].map((tool) => permits(policy, tool))).toEqual([true, false]);
    expect(permits(mergeLayers([layer({ blockedTools: ['shell_*'] })]), 'shell_exec')).toBe(false);
    expect(permits(mergeLayers([]), 'shell_exec')).toBe(true);
  });
});
