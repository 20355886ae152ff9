// Restores standing rules: as they stood, with the memories of the document that they stand on.
import { randomUUID } from 'node:crypto';
import { createFinder } from '../../../memory/finder.ts';
import type { Indexes } from '../../../memory/ports.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import type { Versions } from '../../../ports/versions.ts';
import { plainRule, type RuleDoc, type RuleLink, ruleKind, ruleRecord } from '../../standing-rules/record.ts';
import { insertOnce, type Restoring, type RestoringDeps } from './restoring.ts';
import { type Whole, wholeOf } from './wholes.ts';

export interface RuleDeps extends RestoringDeps {
  indexes: Indexes;
  versions: Pick<Versions, 'bump'>;
}

export function createRestoringRules({ db, clock, sets, indexes, versions }: RuleDeps) {
  const rules = perTenant(db.collection(ruleRecord.spec));
  const finder = createFinder<RuleDoc>({ ...indexes, clock }, ruleKind);

  const linksOf = async (r: Restoring, { links }: Whole<'rule'>, createdAt: Date): Promise<RuleLink[]> => {
    const found: RuleLink[] = [];
    for (const { memory, kind, note } of links) {
      const memoryId = await r.memoryOf(memory);
      if (memoryId !== null) found.push({ memoryId, kind, note, createdAt });
    }
    return found;
  };

  return {
    async all(r: Restoring): Promise<void> {
      const { tenantId } = r.by;
      for await (const item of r.itemsOf('rule')) {
        r.held.check();
        const data = wholeOf('rule', item);
        const now = new Date(clock.now());
        const links = await linksOf(r, data, now);
        const rule: RuleDoc = {
          ...plainRule,
          _id: await r.idFor(item, ruleRecord.spec.name),
          guid: randomUUID(),
          tenantId,
          assertion: data.content,
          rationale: data.rationale,
          trigger: data.trigger,
          kind: data.ruleKind,
          status: data.status,
          statusReason: data.statusReason,
          watchKindId: data.watchKindId,
          identityId: r.identityId,
          projectId: r.projectOf(data.project),
          reviewBy: data.reviewByUtc === null ? null : new Date(data.reviewByUtc),
          expiresAt: data.expiresAtUtc === null ? null : new Date(data.expiresAtUtc),
          links,
          groundingCount: links.filter(({ kind }) => kind === 'Grounding').length,
          evidenceCount: links.filter(({ kind }) => kind === 'Evidence').length,
          statusChangedAt: now,
          since: now,
          createdAt: r.past(data.createdAtUtc),
          updatedAt: now,
        };
        await insertOnce(rules(tenantId), rule);
        await finder.index(rule);
      }
      await versions.bump(tenantId, 'standing_rules');
    },
    async remove(tenantId: number, importId: number): Promise<void> {
      const made = { importId, wholeKind: 'rule', madeId: { $gt: 0 } } as const;
      const items = await sets
        .items(tenantId)
        .find(made, { projection: { madeId: 1 } })
        .toArray();
      if (items.length === 0) return;
      const ids = items.flatMap(({ madeId }) => madeId ?? []);
      await rules(tenantId).deleteMany({ _id: { $in: ids } });
      await finder.forget(tenantId, ids);
      await versions.bump(tenantId, 'standing_rules');
      await sets.items(tenantId).updateMany(made, { $set: { madeId: null } });
    },
  };
}
