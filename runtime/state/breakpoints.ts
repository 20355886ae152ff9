// Breakpoints of a tree of runs: which calls wait for a person before they are made. Pure data and matching.
import { createHash } from 'node:crypto';
import { namedBy } from '../../src/kernel/patterns.ts';

export const breakpointKinds = ['Tool', 'Role'] as const;

export interface BreakpointDraft {
  /** `Tool`: before a call of such a tool. `Role`: before a child with such a role is spawned. */
  before: (typeof breakpointKinds)[number];
  /** Name of the tool or role; a trailing `*` matches every name that begins so. */
  name: string;
  /** True for every run of the tree, false for the run it was set on. */
  forTree: boolean;
}

export interface Breakpoint extends BreakpointDraft {
  id: string;
  runId: number;
  by: string | null;
  at: number;
}

/** Limit of the breakpoints of a tree. */
export const mostBreakpoints = 50;

/** Same run, kind, name and scope: the same breakpoint, so that setting one twice is setting it once. */
export function breakpointOf(runId: number, draft: BreakpointDraft, by: string | null, at: number): Breakpoint {
  const { before, name, forTree } = draft;
  const id = createHash('sha256')
    .update(JSON.stringify([forTree ? null : runId, before, name]))
    .digest('base64url')
    .slice(0, 12);
  return { id, runId, before, name, forTree, by, at };
}

/** Whether a breakpoint applies to the run. */
export const appliesTo = ({ forTree, runId }: Breakpoint, run: { id: number }): boolean => forTree || runId === run.id;

/** A call that is about to be made; `role` is that of the child that it would spawn. */
export interface Stopped {
  tool: string;
  role: string | null;
}

/** The first breakpoint that the call of a run comes to; null for none. */
export const hitBy = (all: readonly Breakpoint[], run: { id: number }, { tool, role }: Stopped): Breakpoint | null =>
  all.find((one) => {
    if (!appliesTo(one, run)) return false;
    return one.before === 'Tool' ? namedBy(one.name, tool) : role !== null && namedBy(one.name, role);
  }) ?? null;

/** A breakpoint in words, as Markdown: what it stops before. */
export const sayBreakpoint = ({ before, name }: BreakpointDraft): string =>
  `before ${before === 'Tool' ? 'tool' : 'role'} \`${name}\``;
