// What of a dataset's items is seen: as it is now, or as a training run got it.
import type { PerTenant } from '../../../ports/tenanted.ts';
import type { DatasetDoc, ItemDoc } from './record.ts';

/** An edition at a time. */
export interface View {
  tenantId: number;
  datasetId: number;
  edition: number;
  at: Date;
}

export const viewOf = ({ _id: datasetId, tenantId, edition }: DatasetDoc, now: number): View => ({
  ...{ tenantId, datasetId, edition, at: new Date(now) },
});

const isIn = ({ edition, at }: View, { from, until, droppedAt }: ItemDoc) =>
  from <= edition && until > edition && (droppedAt === null || droppedAt > at);

/** Items that are read at once. */
const batch = 200;

/** The items of a view by their pairs, a few at a time, so that memory stays flat. */
export async function* itemsOf(items: PerTenant<ItemDoc>, view: View): AsyncGenerator<ItemDoc> {
  const { tenantId, datasetId } = view;
  for (let after = 0; ; ) {
    const some = await items(tenantId)
      .find({ datasetId, pairId: { $gt: after } }, { sort: { pairId: 1, from: 1 }, limit: batch })
      .toArray();
    const last = some.at(-1)?.pairId;
    if (last === undefined) return;
    // All items of one pair come together, however many there are.
    const whole = some.length < batch ? some : some.filter(({ pairId }) => pairId !== last);
    const page = whole.length > 0 ? whole : await items(tenantId).find({ datasetId, pairId: last }).toArray();
    for (const item of page) if (isIn(view, item)) yield item;
    after = page.at(-1)?.pairId ?? last;
  }
}

/** What is written of a view: what is rejected only where that is asked for. */
export async function* exportedOf(items: PerTenant<ItemDoc>, view: View, includeRejected: boolean) {
  for await (const item of itemsOf(items, view)) if (includeRejected || item.status === 'Approved') yield item;
}
