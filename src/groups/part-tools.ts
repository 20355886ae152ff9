// The tools of parts, as runs and as chats call them.
import type { ChatTool } from '../../runtime/chat/ports.ts';
import type { SessionRecord } from '../../runtime/chat/records.ts';
import type { ToolContext, Tools } from '../../runtime/ports.ts';
import type { RunRecord } from '../../runtime/records.ts';
import type { Horizon } from '../memory/facts/version.ts';
import { noUnits, type OrgUnits, type UnitWork } from '../ports/org-units.ts';
import {
  type Briefed,
  type PartTool,
  type PartToolOutcome,
  type RecalledItem,
  recalledEvent,
  type TenantTools,
} from './part.ts';

/** For whom a part works in a run. */
const ofRun = (run: RunRecord) => ({
  tenantId: run.tenantId,
  identityId: run.identityId,
  projectId: run.projectId,
  runId: run.id,
  chatSessionId: null,
  horizon: horizonOf(run),
});

/** For whom a part works in a chat. */
const ofChat = (session: SessionRecord) => ({
  tenantId: session.tenantId,
  identityId: session.identityId,
  projectId: session.projectId,
  runId: null,
  chatSessionId: session.id,
  horizon: null,
});

/** For `combineTools`: the tools of parts, and those that tenants have made. */
export function toolsForRuns(
  tools: readonly PartTool[],
  tenantTools: readonly TenantTools[] = [],
  units: Pick<OrgUnits, 'pathOf'> = noUnits,
): Tools {
  const fixed = asRunTools(tools);
  const withOwn = (own: readonly PartTool[]) => (own.length === 0 ? fixed : [...fixed, ...asRunTools(own)]);
  return {
    forRun: async (run) => withOwn(await offeredTo(units, run, await madeBy(tenantTools, run.tenantId))),
    all: async (tenantId) => withOwn(await madeBy(tenantTools, tenantId)),
  };
}

/** The tools of parts, with those that a tenant has made and offers to the work. */
export const toolsOf =
  (tools: readonly PartTool[], tenantTools: readonly TenantTools[], units: Pick<OrgUnits, 'pathOf'> = noUnits) =>
  async (work: UnitWork): Promise<PartTool[]> => [
    ...tools,
    ...(await offeredTo(units, work, await madeBy(tenantTools, work.tenantId))),
  ];

const madeBy = async (tenantTools: readonly TenantTools[], tenantId: number): Promise<PartTool[]> =>
  (await Promise.all(tenantTools.map((of) => of(tenantId)))).flat();

/** Without what belongs to organisation units that the work is not in. */
async function offeredTo(units: Pick<OrgUnits, 'pathOf'>, work: UnitWork, tools: PartTool[]): Promise<PartTool[]> {
  if (tools.every(({ orgUnitId }) => orgUnitId == null)) return tools;
  const path = await units.pathOf(work);
  return tools.filter(({ orgUnitId }) => orgUnitId == null || path.some(({ id }) => id === orgUnitId));
}

const asRunTools = (tools: readonly PartTool[]) =>
  tools.map(({ handler, orgUnitId: _, ...spec }) => ({
    ...spec,
    handler: async (input: unknown, { run, toolCallId, idempotencyKey, signal, answered, model }: ToolContext) => {
      const about = { toolCallId, idempotencyKey, signal, ...(answered && { answered }), ...(model && { model }) };
      const caller = { ...ofRun(run), rootRunId: run.rootRunId, ...about };
      const { recalled = [], ...outcome } = toOutcome(await handler(input, caller));
      // Committed with the result, so that it is said once.
      return recalled.length === 0 ? outcome : { ...outcome, events: [recalledEvent(recalled)] };
    },
  }));

/**
 * What one chat may call.
 *
 * @param told - told of what was recalled for a call
 */
export const toolsForChat = (
  tools: readonly PartTool[],
  session: SessionRecord,
  told: (session: SessionRecord, items: readonly RecalledItem[]) => Promise<void>,
): ChatTool[] =>
  tools.map(({ handler, orgUnitId: _, ...spec }) => ({
    ...spec,
    handler: async (input, { toolCallId, idempotencyKey, signal, answered }) => {
      const about = { toolCallId, idempotencyKey, signal, ...(answered && { answered }) };
      const caller = { ...ofChat(session), rootRunId: null, ...about };
      const { recalled = [], ...outcome } = toOutcome(await handler(input, caller));
      if (recalled.length > 0) await told(session, recalled);
      return outcome;
    },
  }));

const toOutcome = (outcome: PartToolOutcome | string): PartToolOutcome =>
  typeof outcome === 'string' ? { content: outcome } : outcome;

/** What a fork may know: what stood at its checkpoint, and what its own tree has written since. */
export const horizonOf = ({
  knownAt,
  rootRunId,
}: {
  knownAt?: number | null;
  rootRunId?: number | null;
}): Horizon | null => (knownAt == null ? null : { recordedBy: new Date(knownAt), rootRunId: rootRunId ?? null });

/** A run as parts brief it. */
export const briefedRun = (run: RunRecord): Briefed => ({
  ...ofRun(run),
  about: run.goal,
  userId: run.startedByUserId,
  hydrate: true,
  contextTokens: run.contextBudgetTokens,
});

/** A chat as parts brief it. */
export const briefedChat = (session: SessionRecord, lastWords: string): Briefed => ({
  ...ofChat(session),
  about: lastWords,
  userId: session.userId,
  hydrate: session.hydrate,
  contextTokens: null,
});
