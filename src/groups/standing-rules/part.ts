// Standing rules as a part of the server.

import { authCollections } from '../../auth/collections.ts';
import { createLedger } from '../../memory/facts/ledger.ts';
import { openIndexing } from '../../memory/open-indexing.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createMemoryAccess } from '../memories/access.ts';
import { linkRecord, memoryRecord } from '../memories/record.ts';
import { type PartBase, type PartTool, part, sampleOf } from '../part.ts';
import { createRuleBook } from './book.ts';
import { createRuleBriefs } from './briefs.ts';
import { standingRules } from './contract.ts';
import { createRuleGate } from './gate.ts';
import { createRuleLuggage } from './luggage.ts';
import { createRuleProposals } from './proposals.ts';
import { ruleKind, ruleRecord } from './record.ts';
import { ruleSearch } from './searched.ts';
import { standingRulesService } from './service.ts';
import { createRuleShow, toRuleDto } from './show.ts';
import { createStaleRules } from './stale-rules.ts';
import { createCheckTool } from './tools.ts';

/** Interval in ms of the look at what rules stand on. */
const watchEveryMs = 60_000;

export const standingRulesPart = part({
  records: [ruleRecord],
  contracts: [standingRules],
  serve: (deps) => {
    const { acting, clock } = deps;
    const own = bookOf(deps);
    const access = createMemoryAccess({ ...own, acting, isThere: async () => false });
    return [
      standingRulesService({
        ...own,
        access,
        acting,
        clock,
        show: createRuleShow({ ...own, access }),
        stale: createStaleRules({ ...own, clock }),
      }),
    ];
  },
  searches: (deps) => [ruleSearch(bookOf(deps))],
  luggage: (base) => createRuleLuggage({ ...bookOf(base), versions: base.versions, clock: base.clock }),
  tells: (base) => createRuleBriefs(bookOf(base)),
  // Rules bind an agent whoever talks to it.
  tellsStrangers: (base) => createRuleBriefs(bookOf(base)),
  tools: (base) => [createCheckTool(bookOf(base).book) as PartTool],
  rounds: (base) => {
    const stale = createStaleRules({ ...bookOf(base), clock: base.clock });
    const { settling, repairing } = openIndexing(base, ruleKind, ruleRecord.spec, 'standing rules');
    return [
      settling,
      repairing,
      { name: 'what standing rules stand on', everyMs: watchEveryMs, work: () => stale.round() },
    ];
  },
  samples: [
    sampleOf(standingRules, (assertion) => ({ assertion, trigger: 'BeforeDeploy' as const, kind: 'Should' as const }), {
      patch: () => ({ rationale: 'It was so' }),
      replace: ({ name }) => ({ assertion: name, trigger: 'Always' as const, kind: 'Prefer' as const }),
      confirm: () => ({}),
      withdraw: () => ({ statusReason: 'over' }),
      link: () => ({ memoryId: 1 }),
    }),
  ],
});

/** What holds calls against the rules, for the engine. */
export const gateOf = (base: PartBase) => createRuleGate(bookOf(base).book);

/** What takes decisions as proposals of rules. */
export const proposalsOf = (base: PartBase) => createRuleProposals({ ...bookOf(base), clock: base.clock });

function bookOf(base: PartBase) {
  const { db, ids, clock, publisher, indexes, versions } = base;
  const identities = perTenant(authCollections(db).identities);
  const nameOf = async (tenantId: number, id: number | null) =>
    id === null ? null : ((await identities(tenantId).findOne({ _id: id }))?.displayName ?? null);
  const rules = createKeeper(ruleRecord, {
    ...base,
    told: async ({ doc }) => {
      const { tenantId, identityId, projectId } = doc;
      await versions.bump(tenantId, 'standing_rules');
      const topics = [
        ...(identityId === null ? [] : [`identity:${identityId}`]),
        ...(projectId === null ? [] : [`project:${projectId}`]),
      ];
      if (topics.length === 0) return;
      const data = toRuleDto(doc, await nameOf(tenantId, identityId));
      await publisher.publish({ tenantId, topics, type: 'rule.updated', data });
    },
  });
  return {
    db,
    rules,
    identities,
    memories: createKeeper(memoryRecord, base),
    links: createKeeper(linkRecord, base),
    ledger: createLedger({ db, ids, clock, words: indexes.words }),
    book: createRuleBook({ rules, versions, indexes, clock }),
  };
}

/** The rules that apply, as other parts ask for them. */
export const ruleBookOf = (base: PartBase) => bookOf(base).book;
