// Serves facts: who may, what is answered; the thinking is in src/memory/facts.
import type { Caller } from '../../contract/caller.ts';
import type { Provenance } from '../../contract/enums.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ledger } from '../../memory/facts/ledger.ts';
import type { FactReading } from '../../memory/facts/reading.ts';
import type { FactDoc } from '../../memory/facts/records.ts';
import type { FactVersion, Statement } from '../../memory/facts/version.ts';
import { mayReadIn, requireChangeIn } from '../../ports/in-project.ts';
import type { Filters, Keeper } from '../../ports/keeper.ts';
import { defined, given } from '../fields.ts';
import { facts as group } from './contract.ts';
import { isCurrentOf, toCurrentDto, toHistory, toVersionDto, toWriteDto } from './show.ts';

export interface FactDeps {
  ledger: Ledger;
  reading: FactReading;
  facts: Keeper<FactDoc>;
  versions: Keeper<FactVersion>;
}

export const factsService = implement(group, ({ ledger, reading, facts, versions }: FactDeps) => ({
  list: async ({ caller, params: { projectId }, query: { currentOnly = true, ...query } }) => {
    const { tenantId } = caller;
    await ledger.catchUp(tenantId, projectId);
    if (currentOnly) {
      const sort = query.sort?.replace('createdAtUtc', 'writtenAtUtc');
      const asked = { ...query, sort };
      const { items, totalCount } = await facts.page(caller, asked, {
        within: { projectId, isCurrent: true },
        filters,
      });
      return toPage(items.map(toCurrentDto), totalCount, query);
    }
    const within = { projectId, retractedAt: null };
    const { items, totalCount } = await versions.page(caller, query, { within, filters });
    const current = await reading.currentOf(tenantId, items);
    const shown = items.map((one) => toVersionDto(one, current.has(one._id)));
    return toPage(shown, totalCount, query);
  },
  create: async ({ caller, params: { projectId }, body: { key, value, ...rest } }) => {
    const said = { value, ...statementOf(given(rest), caller) };
    const source = rest.temporalSource ?? (rest.validFromUtc == null ? 'assumed' : 'stated');
    const provenance = said.provenance ?? ofPath(caller);
    const all = { ...said, temporalSource: source, provenance };
    const { fact, version } = await ledger.assert(caller, projectId, key, all);
    return toWriteDto(version, isCurrentOf(fact, version));
  },
  byKey: async ({ caller, params: { projectId, key } }) => {
    const fact = await ledger.find(caller.tenantId, projectId, key);
    if (fact?.isCurrent) return toCurrentDto(fact);
    throw nothingHolds(key, projectId);
  },
  asOf: async ({ caller, params: { projectId, key }, query: { atUtc, recordedAtUtc } }) => {
    const horizon = recordedAtUtc === undefined ? null : { recordedBy: new Date(recordedAtUtc) };
    const found = await reading.asOf(caller.tenantId, projectId, key, new Date(atUtc), horizon);
    if (found) return toVersionDto(found.version, isCurrentOf(found.fact, found.version));
    throw nothingHolds(key, projectId);
  },
  history: async ({ caller, params: { projectId, key }, query: { limit, order } }) => {
    const fact = await ledger.find(caller.tenantId, projectId, key);
    if (!fact) throw nothingHolds(key, projectId);
    const all = await reading.versionsOf(fact);
    const said = all.flatMap((one) => toHistory(one, isCurrentOf(fact, one)));
    said.sort((a, b) => a.validFromUtc.localeCompare(b.validFromUtc) || a.updatedAtUtc.localeCompare(b.updatedAtUtc));
    return (order === 'Ascending' ? said : said.reverse()).slice(0, limit);
  },
  search: async ({ caller, params: { projectId }, query: { q, currentOnly = true, ...ask } }) => {
    const hits = await reading.search({
      tenantId: caller.tenantId,
      projectIds: [projectId],
      question: q,
      currentOnly,
      ...ask,
    });
    return hits.map(({ version, isCurrent }) => toVersionDto(version, isCurrent));
  },
  get: async ({ caller, params: { id } }) => {
    const found = await ledger.version(caller.tenantId, id);
    if (found && mayReadIn(caller, found.fact.projectId))
      return toVersionDto(found.version, isCurrentOf(found.fact, found.version));
    throw noFact(id);
  },
  patch: async ({ caller, params: { id }, body: { key, value, ...rest } }) => {
    await requireOwn(ledger, caller, id);
    const change = { ...defined({ key, value }), ...statementOf(defined(rest), caller) };
    const { fact, version } = await ledger.correct(caller, id, change);
    return toVersionDto(version, isCurrentOf(fact, version));
  },
  remove: async ({ caller, params: { id } }) => {
    await requireOwn(ledger, caller, id);
    await ledger.retract(caller, id);
    return null;
  },
}));

/** A fact of a project that is not the caller's is not there. @throws Fault NOT_FOUND, FORBIDDEN for who may only look */
async function requireOwn(ledger: Ledger, caller: Caller, id: number): Promise<void> {
  const found = caller.projects ? await ledger.version(caller.tenantId, id) : null;
  if (!found) return;
  if (!mayReadIn(caller, found.fact.projectId)) throw noFact(id);
  requireChangeIn(caller, found.fact.projectId);
}

const noFact = (id: number) =>
  new Fault('NOT_FOUND', `There is no fact ${id}.`, {
    hint: 'List them with GET /api/projects/{projectId}/facts.',
  });

const filters: Filters<FactDoc> & Filters<FactVersion> = {
  minImportance: (least: number) => ({ importance: { $gte: least } }),
};

type Asked = Partial<Omit<Statement, 'validFrom' | 'statedUntil'>> & {
  validFromUtc?: string;
  validUntilUtc?: string | null;
};

function statementOf({ validFromUtc, validUntilUtc, ...rest }: Asked, caller: Caller): Partial<Statement> {
  return {
    ...rest,
    ...(rest.provenance && { provenance: within(rest.provenance, caller) }),
    ...(validFromUtc !== undefined && { validFrom: new Date(validFromUtc) }),
    ...(validUntilUtc !== undefined && { statedUntil: validUntilUtc === null ? null : new Date(validUntilUtc) }),
  };
}

/** What an agent writes over the interface counts as its conclusion at most. */
const within = (provenance: Provenance, { role }: Caller): Provenance =>
  role === 'Agent' && provenance === 'Verified' ? 'Inferred' : provenance;

const ofPath = ({ role }: Caller): Provenance => (role === 'Agent' ? 'Inferred' : 'Observed');

const nothingHolds = (key: string, projectId: number) =>
  new Fault('NOT_FOUND', `Project ${projectId} has no fact "${key}" for that time.`, {
    hint: `See what was with GET /api/projects/${projectId}/facts/by-key/{key}/history, or say what is with POST /api/projects/${projectId}/facts.`,
  });
