// Breakpoints of runs, which are ours: calls that wait for a person before they are made.
import { z } from 'zod';
import { group, op } from '../../../contract/operation.ts';
import { boolean, fields, nothing, string } from '../../../contract/types.ts';
import { RunBreakpointDto } from '../dto.ts';

/** A breakpoint as it is set: before calls of a tool, or before a child with a role is spawned. */
export const NewBreakpoint = fields({
  before: z.enum(['Tool', 'Role']),
  name: string.trim().min(1).max(200),
  forTree: boolean.nullish(),
});

export const agentBreakpoints = group(
  'Agent',
  {
    id: 'AgentBreakpoints',
    base: '/api/agent/runs/{runId}/breakpoints',
    doc: 'Ours: breakpoints of runs, where calls wait for a person.',
  },
  {
    list: op.get('', {
      doc: 'Ours: breakpoints that apply to a run: its own, and those that were set for its tree.',
      needs: 'RunsRead',
      data: z.array(RunBreakpointDto),
    }),
    create: op.post('', {
      doc: 'Ours: set a breakpoint, at work too; setting the same one again changes nothing. before Tool stops each call of the tool with this name, before Role each call that would spawn a child in this role; a trailing * matches every name that begins so. forTree has it hold for every run of the tree, also those to come. A call that comes to it waits with an escalation of the kind breakpoint, which POST /api/agent/escalations/{id}/resolve decides: continue makes the call, with argumentsJson in place of its own; skip answers it with decisionNotes and does not make it; cancel cancels the run; any other text refuses the call and tells the agent why.',
      needs: 'RunsWrite',
      body: NewBreakpoint,
      data: RunBreakpointDto,
    }),
    remove: op.delete('/{key}', {
      doc: 'Ours: remove a breakpoint of a run or its tree. A call that waits at it goes on waiting for its decision.',
      needs: 'RunsWrite',
      data: nothing,
    }),
  },
);
