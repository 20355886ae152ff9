// Tools for child runs: spawn and join.
import { z } from 'zod';
import { Fault } from '../../src/kernel/fault.ts';
import type { ToolContext, ToolDefinition, ToolOutcome } from '../ports.ts';
import { given } from '../systems/life/new-run.ts';
import type { Core } from '../systems/records/core.ts';
import { treeOf } from '../systems/records/known-trees.ts';
import { type ChildDraft, spawn } from '../systems/work/creation.ts';
import { builtIn } from './built-in.ts';

/** run_spawn and run_join. */
export function treeTools(core: Core): ToolDefinition[] {
  return [
    builtIn({
      name: 'run_spawn',
      toolSet: 'children',
      spawns: true,
      displayName: 'Spawn',
      description:
        'Start a child run with a goal of its own. It works at the same time; its result reaches you by itself or through run_join. With wait, this call returns the result.',
      input: z.strictObject({
        goal: z.string().min(1).max(32_000),
        role: z.string().max(200).optional(),
        identityId: z.int().optional(),
        modelId: z.string().max(200).optional(),
        maxIterations: z.int().min(1).optional(),
        maxTokens: z.int().min(1).optional(),
        wait: z.boolean().default(false),
        onFailure: z.enum(['report', 'fail-parent']).default('report'),
      }),
      async handler({ wait, onFailure, ...draft }, { run, idempotencyKey }): Promise<ToolOutcome> {
        if (draft.identityId !== undefined) await core.staffing?.requireActing(run, draft.identityId);
        const child = await spawn(core, run.id, {
          ...(given(draft) as Partial<ChildDraft>),
          goal: draft.goal,
          failurePolicy: onFailure,
          key: idempotencyKey,
        });
        const content = JSON.stringify({ runId: child.id, status: child.status });
        if (!wait) return { content };
        return { content, wait: { for: 'children', mode: 'all', count: 1, runIds: [child.id], single: true } };
      },
    }),
    builtIn({
      name: 'run_join',
      toolSet: 'children',
      displayName: 'Join',
      description:
        'Wait for child runs: all of them, any one, or the first few. Without runIds it is about all your children.',
      input: z.strictObject({
        runIds: z.array(z.int()).max(200).optional(),
        mode: z.enum(['all', 'any', 'first']).default('all'),
        count: z.int().min(1).optional(),
      }),
      async handler({ runIds, mode, count }, { run }: ToolContext): Promise<ToolOutcome> {
        const tree = await treeOf(core, run.rootRunId);
        const children = tree.members.childrenOf(run.id);
        const strange = (runIds ?? []).filter((id) => !children.includes(id));
        if (strange.length > 0) {
          throw new Fault('NOT_FOUND', `You have no child run ${strange.join(', ')}.`, {
            hint: `Your children are: ${children.join(', ') || 'none'}.`,
          });
        }
        const awaited = runIds ?? [...children];
        if (awaited.length === 0) return { content: 'You have no child runs.', isError: true };
        const wait = { for: 'children' as const, mode, count: count ?? 1, runIds: awaited, single: false };
        return { content: '', wait };
      },
    }),
  ];
}
