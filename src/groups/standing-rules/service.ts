// Serves standing rules: who may state, change and end them, what applies, and what should be looked at again.
import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { ownIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import { type Handlers, implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { concerns } from '../../memory/rules/rule.ts';
import { isOver, moveRule } from '../../memory/rules/transitions.ts';
import type { Filter } from '../../ports/db.ts';
import { mayReadIn, visibleTo } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { isMarked, ownMark } from '../../ports/once.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { defined } from '../fields.ts';
import { kept } from '../kept.ts';
import type { MemoryAccess } from '../memories/access.ts';
import type { RuleBook } from './book.ts';
import { lookUpRules } from './check.ts';
import { standingRules } from './contract.ts';
import { plainRule, type RuleDoc, ruleScope } from './record.ts';
import type { RuleShow } from './show.ts';
import type { StaleRules } from './stale-rules.ts';

export interface RulesDeps {
  rules: Keeper<RuleDoc>;
  book: RuleBook;
  stale: StaleRules;
  show: RuleShow;
  access: Pick<MemoryAccess, 'read'>;
  acting: Acting;
  identities: PerTenant<IdentityDoc>;
  clock: Clock;
}

type All = Handlers<typeof standingRules>;

/** Memories that a rule may be linked to. */
const mostLinks = 100;

const timeOf = (at: string | null | undefined) => (at == null ? null : new Date(at));

export const standingRulesService = implement(standingRules, (deps: RulesDeps) => {
  const { rules, show, book } = deps;
  const basis = kept(standingRules, rules, {
    show: show.show,
    showAll: show.showAll,
    filters: {
      identityId: (id: number) => ({ identityId: id }),
      includeGlobal: () => ({}),
    },
    draft: (body, caller) => draftOf(deps, body, caller),
    wrote: (doc) => book.finder.index(doc),
    change: () => ({}),
    replace: () => ({}),
  });
  return {
    create: basis.create,
    list: ({ query: { includeGlobal, identityId, ...query }, ...input }) => {
      const whose =
        includeGlobal && identityId !== undefined ? { identityId: [identityId, null] as never } : { identityId };
      return basis.list({ ...input, query: { ...query, ...whose } });
    },
    get: async ({ caller, params }) => show.detail(await rules.get(caller, params.id), caller),
    ...changeHandlers(deps),
    ...lifeHandlers(deps),
    ...linkHandlers(deps),
    ...searchHandlers(deps),
    ...lookHandlers(deps),
  };
});

type Draft = Parameters<All['create']>[0]['body'];

async function draftOf(deps: RulesDeps, body: Draft, caller: Caller) {
  const { clock, access } = deps;
  const { groundingMemoryIds, reviewByUtc, expiresAtUtc, status: asked, ...said } = body;
  const isAgent = caller.role === 'Agent';
  const status = asked ?? (isAgent ? 'Proposed' : 'Active');
  if (status !== 'Active' && status !== 'Proposed')
    throw new Fault('INVALID_TRANSITION', `A new rule is Active or Proposed, not ${status}.`, {
      hint: 'Leave status out.',
    });
  if (isAgent && status !== 'Proposed') throw proposesOnly();
  const identityId = said.identityId ?? (isAgent ? caller.identityId : null);
  if (identityId !== null) await ownIdentity(deps, caller, identityId);
  const now = new Date(clock.now());
  const ids = [...new Set(groundingMemoryIds ?? [])];
  for (const id of ids) await access.read(caller, id);
  return {
    ...plainRule,
    ...(defined(said) as object),
    assertion: said.assertion,
    trigger: said.trigger,
    kind: said.kind,
    rationale: said.rationale ?? null,
    projectId: said.projectId ?? null,
    watchKindId: said.watchKindId ?? 'None',
    identityId,
    status,
    statusChangedAt: now,
    since: now,
    reviewBy: timeOf(reviewByUtc),
    expiresAt: timeOf(expiresAtUtc),
    links: ids.map((memoryId) => ({ memoryId, kind: 'Grounding' as const, note: null, createdAt: now })),
    groundingCount: ids.length,
  };
}

const proposesOnly = () =>
  new Fault('FORBIDDEN', 'An agent proposes rules; people make them hold and end them.', {
    hint: 'State it with status Proposed, or ask a person with run_escalate.',
  });

/** Who may change a rule: people who may act as its identity; an agent only what it has proposed itself. */
async function requireWrite(deps: RulesDeps, caller: Caller, rule: RuleDoc): Promise<void> {
  if (caller.role === 'Agent') {
    if (rule.status === 'Proposed' && rule.identityId !== null && rule.identityId === caller.identityId) return;
    throw proposesOnly();
  }
  if (rule.identityId !== null) await deps.acting.allow(caller, rule.identityId);
}

/** Changes a rule as `to` says, by somebody who may. */
async function changed(deps: RulesDeps, caller: Caller, id: number, to: (old: RuleDoc) => Partial<RuleDoc>) {
  const rule = await deps.rules.get(caller, id);
  if (isMarked(rule)) return rule;
  await requireWrite(deps, caller, rule);
  return deps.book.change(caller, id, (old) => ({ ...to(old), ...ownMark(old) }));
}

const requireOpen = ({ _id, status }: RuleDoc) => {
  if (isOver(status))
    throw new Fault('INVALID_TRANSITION', `Rule ${_id} is ${status}.`, { hint: 'State a new rule instead.' });
};

function changeHandlers(deps: RulesDeps): Pick<All, 'patch' | 'replace'> {
  const { show } = deps;
  const change = async (caller: Caller, id: number, fields: Partial<RuleDoc>) => {
    if (fields.identityId != null) await ownIdentity(deps, caller, fields.identityId);
    if (fields.supersededById != null) await requireSuccessor(deps, caller, id, fields.supersededById);
    const doc = await changed(deps, caller, id, (old) => {
      requireOpen(old);
      const status = fields.supersededById == null ? old.status : moveRule(old.status, 'Superseded');
      return { ...fields, status };
    });
    return show.show(doc, caller);
  };
  return {
    patch: ({ caller, params, body: { reviewByUtc, expiresAtUtc, ...body } }) =>
      change(caller, params.id, {
        ...(defined(body) as Partial<RuleDoc>),
        ...(reviewByUtc !== undefined && { reviewBy: timeOf(reviewByUtc) }),
        ...(expiresAtUtc !== undefined && { expiresAt: timeOf(expiresAtUtc) }),
      }),
    replace: ({ caller, params, body }) =>
      change(caller, params.id, {
        assertion: body.assertion,
        trigger: body.trigger,
        kind: body.kind,
        rationale: body.rationale ?? null,
        identityId: body.identityId ?? null,
        projectId: body.projectId ?? null,
        supersededById: body.supersededById ?? null,
        statusReason: body.statusReason ?? null,
        reviewBy: timeOf(body.reviewByUtc),
        expiresAt: timeOf(body.expiresAtUtc),
        watchKindId: body.watchKindId ?? 'None',
      }),
  };
}

async function requireSuccessor({ rules }: RulesDeps, caller: Caller, id: number, successorId: number): Promise<void> {
  const successor = await rules.get(caller, successorId);
  if (successorId === id || isOver(successor.status))
    throw new Fault('VALIDATION_FAILED', `Rule ${successorId} cannot take the place of rule ${id}.`, {
      hint: 'Name another rule, one that holds.',
    });
}

function lifeHandlers(deps: RulesDeps): Pick<All, 'confirm' | 'withdraw'> {
  const { show, clock } = deps;
  return {
    confirm: async ({ caller, params, body }) => {
      if (caller.role === 'Agent') throw proposesOnly();
      const now = clock.now();
      const doc = await changed(deps, caller, params.id, (old) => {
        if (old.expiresAt !== null && old.expiresAt.getTime() <= now)
          throw new Fault('INVALID_TRANSITION', `Rule ${old._id} has expired.`, {
            hint: 'Give it a later expiresAtUtc with PATCH first, or null.',
          });
        return {
          status: moveRule(old.status, 'Active'),
          statusReason: body.statusReason ?? null,
          lastReviewedAt: new Date(now),
          // A date of review that has passed has done its work.
          reviewBy: timeOf(body.reviewByUtc) ?? (old.reviewBy && old.reviewBy.getTime() > now ? old.reviewBy : null),
        };
      });
      return show.show(doc, caller);
    },
    withdraw: async ({ caller, params, body }) => {
      const supersededById = body.supersededById ?? null;
      if (supersededById !== null) await requireSuccessor(deps, caller, params.id, supersededById);
      const doc = await changed(deps, caller, params.id, (old) => ({
        status: moveRule(old.status, supersededById === null ? 'Withdrawn' : 'Superseded'),
        statusReason: body.statusReason,
        supersededById,
      }));
      return show.show(doc, caller);
    },
  };
}

function linkHandlers(deps: RulesDeps): Pick<All, 'link' | 'unlink'> {
  const { access, clock, show, rules } = deps;
  const withLinks = (links: RuleDoc['links']) => ({
    links,
    groundingCount: links.filter(({ kind }) => kind === 'Grounding').length,
    evidenceCount: links.filter(({ kind }) => kind === 'Evidence').length,
  });
  return {
    link: async ({ caller, params, body }) => {
      await requireWrite(deps, caller, await rules.get(caller, params.id));
      const { memory } = await access.read(caller, body.memoryId);
      const link = {
        memoryId: memory._id,
        kind: body.linkKind ?? ('Evidence' as const),
        note: body.note ?? null,
        createdAt: new Date(clock.now()),
      };
      const doc = await changed(deps, caller, params.id, (old) => {
        requireOpen(old);
        const others = old.links.filter(({ memoryId }) => memoryId !== link.memoryId);
        if (others.length >= mostLinks)
          throw new Fault('CONFLICT', `Rule ${old._id} has ${mostLinks} links.`, { hint: 'Drop one first.' });
        return withLinks([...others, link]);
      });
      return show.detail(doc, caller);
    },
    unlink: async ({ caller, params }) => {
      await changed(deps, caller, params.id, (old) => {
        if (!old.links.some(({ memoryId }) => memoryId === params.memoryId))
          throw new Fault('NOT_FOUND', `Rule ${old._id} is not linked to memory ${params.memoryId}.`, {
            hint: `Its links are at GET /api/standing-rules/${old._id}.`,
          });
        return withLinks(old.links.filter(({ memoryId }) => memoryId !== params.memoryId));
      });
      return null;
    },
  };
}

function searchHandlers({ rules, book }: RulesDeps): Pick<All, 'search'> {
  return {
    search: async ({ caller, query: { q, limit, minScore, status, ...where } }) => {
      const wanted = { ...defined(where), ...(status && { status }) } as Filter<RuleDoc>;
      const hits = await book.finder.search({
        tenantId: caller.tenantId,
        scopes: [ruleScope],
        question: q,
        limit,
        minScore,
        load: (ids) =>
          rules
            .of(caller.tenantId)
            .find({ $and: [{ _id: { $in: [...ids] }, ...wanted }, visibleTo<RuleDoc>(caller)] })
            .toArray(),
      });
      return hits.map(({ doc, score, matchedBy, snippet }) => ({
        kind: 'StandingRule' as const,
        id: doc._id,
        guid: doc.guid,
        title: doc.assertion,
        snippet,
        score,
        matchedBy,
        url: `/memory/rules?rule=${doc._id}`,
        identityId: doc.identityId,
        projectId: doc.projectId,
        tags: [],
        updatedAtUtc: doc.updatedAt.toISOString(),
      }));
    },
  };
}

function lookHandlers(deps: RulesDeps): Pick<All, 'check' | 'stale'> {
  const { book, stale, show } = deps;
  return {
    check: async ({ caller, query: { trigger, toolName, context, limit, markSurfaced, ...where } }) => {
      const { rules, verdicts } = await lookUpRules(book, {
        tenantId: caller.tenantId,
        identityId: where.identityId ?? caller.identityId,
        projectId: where.projectId ?? null,
        horizon: null,
        trigger,
        toolName,
        argumentsJson: context ?? '',
        limit,
        marks: markSurfaced === true,
      });
      return { trigger, rules: await show.showAll(rules, caller), noRulesApply: rules.length === 0, verdicts };
    },
    stale: async ({ caller, query: { reason, limit, identityId, projectId } }) => {
      const place = { identityId: identityId ?? null, projectId: projectId ?? null };
      const all = (await stale.of(caller.tenantId)).filter(
        ({ rule, reason: why }) =>
          mayReadIn(caller, rule.projectId) &&
          (reason === undefined || why === reason) &&
          (identityId === undefined || concerns(rule, { ...place, projectId: rule.projectId })) &&
          (projectId === undefined || concerns(rule, { ...place, identityId: rule.identityId })),
      );
      const those = all.slice(0, limit);
      const dtos = await show.showAll(
        those.map(({ rule }) => rule),
        caller,
      );
      return those.map(({ reason: why, detail, since, suggestedAction }, at) => ({
        rule: dtos[at] as (typeof dtos)[number],
        reason: why,
        detail,
        staleSinceUtc: since.toISOString(),
        suggestedAction,
      }));
    },
  };
}
