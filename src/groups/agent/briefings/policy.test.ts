import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { standingOf } from '../../../../runtime/systems/turn/tool-policy.ts';
import { mergeLayers, narrowed, type PolicyLayer, permits } from './policy.ts';

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

  it('are never widened by an identity, whatever its own tools say', () => {
    const names = ['a_x', 'a_y', 'b_x', 'run_z'];
    const patterns = fc.array(fc.constantFrom('*', 'a_*', ...names), { maxLength: 4 });
    const lists = { safeTools: patterns, optInTools: patterns, blockedTools: patterns, sandboxedTools: patterns };
    const layers = fc.array(fc.record({ ...lists, name: fc.constant('x'), discoveryEnabled: fc.boolean() }), {
      maxLength: 2,
    });
    const own = fc.record({ ...lists, name: fc.constant('own'), description: fc.constant(null) });
    const order = ['safe', 'opt-in', 'blocked'];
    fc.assert(
      fc.property(layers, own, fc.boolean(), fc.boolean(), (all, tools, requiresApproval, sandboxed) => {
        const policy = mergeLayers(all);
        for (const name of names) {
          const tool = { name, requiresApproval, sandboxed };
          const [before, after] = [policy, narrowed(policy, tools)].map((one) => order.indexOf(standingOf(tool, one)));
          expect(after).toBeGreaterThanOrEqual(before as number);
        }
      }),
    );
  });
});
