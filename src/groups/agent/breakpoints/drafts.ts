// Breakpoints as requests name them, for the engine.
import type { BreakpointDraft } from '../../../../runtime/state/breakpoints.ts';

interface Asked {
  before: BreakpointDraft['before'];
  name: string;
  forTree?: boolean | null | undefined;
}

export const breakpointsIn = (all: readonly Asked[] | null | undefined): BreakpointDraft[] =>
  (all ?? []).map(({ before, name, forTree }) => ({ before, name, forTree: forTree ?? false }));
