// Breakpoints: a call that comes to one waits for a person, by an escalation of its own kind.
import type { ToolCallRecord } from '../../message-log.ts';
import type { ToolDefinition } from '../../ports.ts';
import type { Waiting } from '../../records.ts';
import { type Breakpoint, hitBy, sayBreakpoint } from '../../state/breakpoints.ts';
import { breakpointKind } from '../../state/escalation.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { treeOf } from '../records/known-trees.ts';
import { approvalDraft, askApproval, raise } from './escalations.ts';

/** The breakpoint that a call comes to; null for none, and for a call that had begun before a crash. */
export async function breakpointAt(
  core: Core,
  { run }: LiveRun,
  tool: ToolDefinition,
  { argumentsJson, state }: ToolCallRecord,
): Promise<Breakpoint | null> {
  if (state === 'Running') return null;
  // Another process may have set one: only a process that is alone knows without a read.
  const known = core.options.soleOwner ? core.trees.get(run.rootRunId) : undefined;
  const { breakpoints = [] } = known ?? (await treeOf(core, run.rootRunId));
  if (breakpoints.length === 0) return null;
  return hitBy(breakpoints, run, { tool: tool.name, role: tool.spawns ? roleIn(argumentsJson, run.role) : null });
}

/** Role of the child that a call spawns: the one that it names, else that of its parent. */
function roleIn(argumentsJson: string, parentRole: string): string {
  const { role } = JSON.parse(argumentsJson) as { role?: unknown };
  return typeof role === 'string' ? role : parentRole;
}

/**
 * Has a call wait at a breakpoint; `reason` is why it needs an approval besides, which going on is then as well. It
 * waits until a person decides, whatever the tenant's timeout.
 */
export async function holdAt(
  core: Core,
  live: LiveRun,
  call: { tool: ToolDefinition; record: ToolCallRecord },
  stop: Breakpoint,
  reason: string | null,
): Promise<Waiting> {
  const { tool, record } = call;
  const where = `Breakpoint ${sayBreakpoint(stop)}${stop.by ? `, set by ${stop.by}` : ''}.`;
  const draft = approvalDraft(tool, record, [where, reason].filter(Boolean).join(' '));
  const escalation = await raise(core, live.run, {
    ...draft,
    kind: breakpointKind,
    optionsJson: JSON.stringify(['continue', 'skip', 'cancel']),
    maxRevisionRounds: 0,
    needsPerson: true,
    waitsForEver: true,
  });
  return { ...(await askApproval(core, live, record, { escalation, reason: where })), breakpoint: sayBreakpoint(stop) };
}
