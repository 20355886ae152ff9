// Lists, sets and removes breakpoints of runs; the engine stops at them.
import type { Engine } from '../../../../runtime/engine.ts';
import type { Breakpoint } from '../../../../runtime/state/breakpoints.ts';
import type { Acting } from '../../../auth/acting.ts';
import { implement } from '../../../contract/operation.ts';
import type { RunBreakpointDto } from '../dto.ts';
import { aboutRun, type FindRun } from '../runs/find-run.ts';
import { agentBreakpoints } from './contract.ts';
import { breakpointsIn } from './drafts.ts';

interface Deps {
  engine: Pick<Engine, 'breakpoints' | 'setBreakpoint' | 'removeBreakpoint'>;
  findRun: FindRun;
  acting: Acting;
}

const shown = ({ id, runId, before, name, forTree, by, at }: Breakpoint): RunBreakpointDto => ({
  ...{ id, runId, before, name, forTree },
  setBy: by,
  createdAtUtc: new Date(at).toISOString(),
});

export const agentBreakpointsService = implement(agentBreakpoints, ({ engine, findRun, acting }: Deps) => {
  const ofRun = aboutRun(findRun);
  return {
    list: ofRun(async ({ run }) => (await engine.breakpoints(run.id)).map(shown)),
    create: ofRun(async ({ run, caller, body }) => {
      await acting.allow(caller, run.identityId);
      const [draft] = breakpointsIn([body]);
      return shown(await engine.setBreakpoint(run.id, draft!, caller.name));
    }),
    remove: ofRun(async ({ run, caller, params }) => {
      await acting.allow(caller, run.identityId);
      await engine.removeBreakpoint(run.id, params.key, caller.name);
      return null;
    }),
  };
});
