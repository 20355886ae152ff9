// Restores facts with their history: each value from the moment on from which it held, in that order.
import type { Ledger } from '../../../memory/facts/ledger.ts';
import type { Restoring, RestoringDeps } from './restoring.ts';
import { wholeOf } from './wholes.ts';

export interface FactDeps extends RestoringDeps {
  ledger: Pick<Ledger, 'assert'>;
}

export function createRestoringFacts({ sets, ledger }: FactDeps) {
  return async function restoreFacts(r: Restoring): Promise<void> {
    const { tenantId } = r.by;
    const { _id: importId, commits } = r.held.doc;
    const order: Order[] = [];
    /** Moments from which each key has a value. */
    const begins = new Set<string>();
    for await (const item of r.itemsOf('fact')) {
      const said = wholeOf('fact', item);
      order.push({ id: item._id, from: Date.parse(said.validFromUtc), isCurrent: said.isCurrent });
      begins.add(momentOf(said, said.validFromUtc));
    }
    order.sort((a, b) => a.from - b.from || Number(a.isCurrent) - Number(b.isCurrent) || a.id - b.id);
    for (const { id } of order) {
      r.held.check();
      const item = await sets.items(tenantId).findOne({ _id: id });
      if (!item) continue;
      const said = wholeOf('fact', item);
      const [validFrom, until] = [new Date(said.validFromUtc), said.validUntilUtc && new Date(said.validUntilUtc)];
      await ledger.assert(r.by, r.projectOf(said.project) as number, said.key, {
        value: said.value,
        category: said.category,
        importance: said.importance,
        isCritical: said.isCritical,
        provenance: said.provenance,
        temporalSource: said.temporalSource,
        validFrom,
        // What was replaced is ended by what replaced it.
        statedUntil: until && until > validFrom && !begins.has(momentOf(said, said.validUntilUtc)) ? until : null,
        sourceImportId: importId,
        onceKey: `import:${importId}:${id}:${commits}`,
      });
    }
  };
}

interface Order {
  id: number;
  from: number;
  isCurrent: boolean;
}

const momentOf = ({ project, key }: { project: string; key: string }, at: string | null) =>
  JSON.stringify([project, key, at === null ? null : Date.parse(at)]);
