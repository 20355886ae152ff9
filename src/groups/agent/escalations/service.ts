// Lists escalations, takes decisions, and has runs ask from outside; the engine carries both out.
import type { Engine } from '../../../../runtime/engine.ts';
import type { EscalationQuery, RunStore } from '../../../../runtime/ports.ts';
import { type EscalationRecord, isBreakpoint } from '../../../../runtime/state/escalation.ts';
import { escalationView } from '../../../../runtime/views/escalation.ts';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Bonds } from '../../../ports/bonds.ts';
import { hiddenFrom, isOpenTo } from '../../../ports/in-project.ts';
import { onceMark } from '../../../ports/once.ts';
import type { RuleProposals } from '../../../ports/rules.ts';
import { defined } from '../../fields.ts';
import { aboutRun, type FindRun } from '../runs/find-run.ts';
import { agentEscalations } from './contract.ts';

interface Deps {
  engine: Pick<Engine, 'escalate' | 'resolveEscalation'>;
  escalations: Pick<RunStore['escalations'], 'get' | 'list'>;
  findRun: FindRun;
  clock: Clock;
  bonds?: Bonds;
  /** Takes what is to be remembered beyond the run. */
  rules?: RuleProposals;
}

export const agentEscalationsService = implement(
  agentEscalations,
  ({ engine, escalations, findRun, clock, bonds, rules }: Deps) => ({
    list: async ({ caller, query }) => {
      const { items, total } = await escalations.list(toQuery(caller, query));
      return toPage(items.map(escalationView), total, query);
    },
    resolve: async ({ caller, params, body }) => {
      const escalation = await escalations.get(params.id, caller.tenantId);
      if (escalation?.tenantId !== caller.tenantId || !isOpenTo(caller, escalation.projectId)) throw unknown(params.id);
      if (isBreakpoint(escalation)) requirePerson(body);
      if (escalation.needsPerson) refuseAgents(caller, body);
      if (body.argumentsJson != null) requireApproval(escalation, body.argumentsJson);
      if (body.resolutionMode === 'Timeout')
        throw new Fault('VALIDATION_FAILED', 'Only the server itself resolves by Timeout.', {
          hint: 'Leave resolutionMode out for a decision of a person.',
        });
      if (body.rememberAsRule) requireDecision(escalation, body);
      const decided = await engine.resolveEscalation(params.id, {
        decision: body.decision,
        notes: body.decisionNotes ?? null,
        by: caller.name,
        mode: body.resolutionMode ?? 'Human',
        requestRevision: body.requestRevision ?? false,
        rememberAsRule: body.rememberAsRule ?? false,
        argumentsJson: body.argumentsJson ?? null,
        key: onceMark(),
      });
      if (body.rememberAsRule) await rules?.propose(caller, decided);
      if (!isBreakpoint(decided)) await noteReview(bonds, caller, decided, clock.now());
      return escalationView(decided);
    },
    create: aboutRun(findRun)(async ({ run, body }) => {
      if (body.optionsJson != null) parse('optionsJson', body.optionsJson);
      const timeoutAt = body.timeoutAtUtc == null ? null : Date.parse(body.timeoutAtUtc);
      if (timeoutAt !== null && timeoutAt <= clock.now())
        throw new Fault('VALIDATION_FAILED', 'timeoutAtUtc lies in the past.', { hint: 'Give a later time.' });
      const escalation = await engine.escalate(run.id, {
        key: onceMark(),
        situation: body.situation,
        optionsJson: body.optionsJson ?? null,
        taskId: body.taskId ?? null,
        kind: body.kind ?? null,
        urgency: body.urgencyId ?? 'Normal',
        confidence: body.confidence ?? null,
        supervisorRecommendation: body.supervisorRecommendation ?? null,
        maxRevisionRounds: body.maxRevisionRounds ?? null,
        timeoutAt,
        // Somebody who names a time wants something to happen then.
        timeoutAction:
          timeoutAt === null ? 'KeepWaiting' : body.supervisorRecommendation ? 'UseRecommendation' : 'Proceed',
      });
      return escalationView(escalation);
    }),
  }),
);

/** A person who reviews a run's question gets to know its identity; a refusal or a request for changes lowers their good will. */
async function noteReview(
  bonds: Bonds | undefined,
  { tenantId, identityId: from, name }: Caller,
  { id, identityId: to, runId, status, situation, decision, revisionRoundsUsed, resolvedAt }: EscalationRecord,
  now: number,
): Promise<void> {
  if (!bonds || from === null || to === null) return;
  const sentBack = status === 'RevisionRequested';
  const refused = /^\s*(?:reject|refuse|deny|no\b)/i.test(decision ?? '');
  await bonds.note({
    tenantId,
    from,
    to,
    kind: 'Review',
    summary: `${name} ${sentBack ? 'sent back' : 'decided'}: ${situation.slice(0, 200)}`,
    sentiment: sentBack || refused ? -0.2 : 0.3,
    runId,
    at: new Date(resolvedAt ?? now),
    key: `review:${id}:${revisionRoundsUsed}:${status}`,
  });
}

const unknown = (id: number) =>
  new Fault('NOT_FOUND', `There is no escalation ${id}.`, { hint: 'List them with GET /api/agent/escalations.' });

function requireApproval(escalation: EscalationRecord, argumentsJson: string): void {
  if (escalation.kind !== 'toolApproval' && !isBreakpoint(escalation))
    throw new Fault('VALIDATION_FAILED', 'argumentsJson goes with the approval of a tool call only.', {
      hint: 'Put what the run should know into decision and decisionNotes.',
    });
  const value = parse('argumentsJson', argumentsJson);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Fault('VALIDATION_FAILED', 'argumentsJson is not a JSON object.', {
      hint: 'Send the whole arguments of the call as JSON text.',
    });
}

/** A breakpoint stops each call that comes to it, for a person. */
function requirePerson({ resolutionMode, rememberAsRule, requestRevision }: { [asked: string]: unknown }): void {
  if (resolutionMode !== 'Council' && !rememberAsRule && !requestRevision) return;
  throw new Fault('VALIDATION_FAILED', 'A breakpoint is decided by a person, for this call alone.', {
    hint: 'Decide continue, skip or cancel; remove the breakpoint to have later calls go on.',
  });
}

/** What only a person can do, such as to open an address: neither councils nor agents decide it. */
function refuseAgents({ kind, role }: Caller, { resolutionMode }: { [asked: string]: unknown }): void {
  if (resolutionMode !== 'Council' && role !== 'Agent' && kind !== 'Run') return;
  throw new Fault('FORBIDDEN', 'This is decided by a person, and by no agent or council.', {
    hint: 'Let somebody who is signed in decide it.',
  });
}

/** What is not decided here and now cannot be remembered. */
function requireDecision(
  { runId }: EscalationRecord,
  { requestRevision, resolutionMode }: { [asked: string]: unknown },
): void {
  const hint = 'Leave rememberAsRule out.';
  if (runId === null)
    throw new Fault('VALIDATION_FAILED', 'Only decisions on questions of runs are remembered, not those of chats.', {
      hint,
    });
  if (requestRevision || resolutionMode === 'Council')
    throw new Fault('VALIDATION_FAILED', 'Nothing is decided yet that could be remembered.', { hint });
}

function parse(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('VALIDATION_FAILED', `${field} is not JSON.`, { hint: `Send ${field} as JSON text.`, cause });
  }
}

interface ListQuery {
  page: number;
  pageSize: number;
  sort?: string | undefined;
  fromUtc?: string | undefined;
  toUtc?: string | undefined;
  urgencyId?: EscalationQuery['urgency'] | undefined;
  [filter: string]: unknown;
}

function toQuery(
  caller: Caller,
  { page, pageSize, sort, fromUtc, toUtc, urgencyId, ...filters }: ListQuery,
): EscalationQuery {
  return {
    tenantId: caller.tenantId,
    hiddenProjects: hiddenFrom(caller),
    ...defined(filters),
    ...(urgencyId === undefined ? {} : { urgency: urgencyId }),
    ...(fromUtc === undefined ? {} : { from: Date.parse(fromUtc) }),
    ...(toUtc === undefined ? {} : { to: Date.parse(toUtc) }),
    ...(sort === undefined
      ? {}
      : {
          sort: sort.replace(/^-/, '').replace(/Utc$/, '') as keyof EscalationRecord,
          descending: sort.startsWith('-'),
        }),
    skip: (page - 1) * pageSize,
    limit: pageSize,
  };
}
