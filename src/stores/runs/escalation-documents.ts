// Escalations over any Db: documents with compare-and-set, found for the engine (due, undelivered) and for lists.
import type { EscalationQuery, RunStore } from '../../../runtime/ports.ts';
import { type EscalationRecord, escalationClosed } from '../../../runtime/state/escalation.ts';
import type { Db, Entity, Filter, Sort } from '../../ports/db.ts';
import { polled } from '../../ports/polled.ts';
import * as spec from './collections.ts';
import { createDocuments, recordOf } from './documents.ts';

const derived = ['closed', 'held'];

export function createEscalationDocuments(db: Db): RunStore['escalations'] {
  const collection = db.collection(spec.escalations);
  const derive = ({ status, heldBy }: EscalationRecord) => {
    const closed = escalationClosed(status);
    return { closed, held: !closed && heldBy !== undefined };
  };
  const records = (found: spec.EscalationDocument[]) => found.map((one) => recordOf<EscalationRecord>(one, derived));
  const find = async (
    filter: Filter<spec.EscalationDocument>,
    limit = 1000,
    sort: Sort<spec.EscalationDocument> = { _id: 1 },
  ) => records(await collection.find(filter, { sort, limit }).toArray());
  return {
    ...createDocuments<EscalationRecord>(db.collection<Entity>(spec.escalations.name), derive, derived),
    due: polled(
      collection,
      (now, limit) => find({ closed: false, timeoutAt: { $ne: null, $lte: now } }, limit, { timeoutAt: 1, _id: 1 }),
      { closed: false, timeoutAt: { $ne: null } },
    ),
    ofRun: (runId) => find({ runId }),
    remembered: async (rootRunId, questionKey) => {
      const filter = { rootRunId, rememberAsRule: true, status: 'Resolved', questionKey } as const;
      const newest = await collection.findOne(filter, { sort: { resolvedAt: -1, _id: -1 } });
      return newest && recordOf<EscalationRecord>(newest, derived);
    },
    undelivered: polled(collection, (limit) =>
      find({ delivered: false, $or: [{ closed: true }, { status: 'RevisionRequested' }] }, limit),
    ),
    held: polled(collection, (limit) => find({ held: true }, limit)),
    async list(query) {
      const filter = filterOf(query);
      const [items, total] = await Promise.all([
        collection.find(filter, { sort: sortOf(query), skip: query.skip ?? 0, limit: query.limit }).toArray(),
        collection.countDocuments(filter),
      ]);
      return { items: records(items), total };
    },
  };
}

function filterOf(query: EscalationQuery): Filter<spec.EscalationDocument> {
  const filter: Record<string, unknown> = { tenantId: query.tenantId };
  for (const field of ['status', 'urgency', 'kind', 'runId', 'projectId', 'identityId'] as const) {
    if (query[field] !== undefined) filter[field] = query[field];
  }
  if (query.projectId === undefined && query.hiddenProjects?.length) filter.projectId = { $nin: query.hiddenProjects };
  if (query.openOnly) filter.closed = false;
  const created = {
    ...(query.from === undefined ? {} : { $gte: query.from }),
    ...(query.to === undefined ? {} : { $lt: query.to }),
  };
  if (Object.keys(created).length > 0) filter.createdAt = created;
  return filter as Filter<spec.EscalationDocument>;
}

function sortOf({ sort, descending }: EscalationQuery): Sort<spec.EscalationDocument> {
  const field = sort ?? 'createdAt';
  const direction = (sort ? descending : true) ? -1 : 1;
  const fields = field === 'id' ? ['_id'] : field === 'status' ? [field, 'createdAt', '_id'] : [field, '_id'];
  return Object.fromEntries(fields.map((name) => [name, direction])) as Sort<spec.EscalationDocument>;
}
