// What parts keep of a run goes with it.
import { expect, it } from 'vitest';
import type { Part } from '../groups/part.ts';
import { parts } from '../groups/parts.ts';
import type { AnyCollectionSpec } from '../ports/db.ts';
import { ofRuns } from './retention.ts';

/** Collections whose documents name a run and outlive it. */
const outlive: Record<string, string> = {
  shares: 'a link to a run that is gone leads nowhere, and goes by its own age',
};

it('every record that is found by its run goes with runs, or says why not', () => {
  const specs: AnyCollectionSpec[] = (parts as readonly Part<never>[]).flatMap(({ records = [] }) =>
    records.map(({ spec }) => spec as AnyCollectionSpec),
  );
  const going = new Set(ofRuns.map(({ name }) => name));
  const staying = specs.filter(
    ({ name, indexes }) =>
      !going.has(name) && indexes.some(({ keys }) => Object.keys(keys).find((key) => key !== 'tenantId') === 'runId'),
  );
  expect(staying.map(({ name }) => name).sort()).toEqual(Object.keys(outlive).sort());
});
