// Keeps secrets of runs sealed at rest: the values of environmentJson.
import type { RunRecord } from '../../../runtime/records.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { Migration } from '../migrations.ts';
import * as spec from './collections.ts';

export interface RunSeals {
  /** Stored form of fields of a run. */
  toStore<T extends Partial<RunRecord>>(tenantId: number, fields: T): T;
  /** Opens the sealed fields of a stored run. */
  open(run: RunRecord): RunRecord;
}

/** Beginning of sealed texts, which no JSON object has. */
const mark = 'v1.';

/** Without a vault nothing is sealed. */
export function createRunSeals(vault: Vault | null): RunSeals {
  if (!vault) return { toStore: (_, fields) => fields, open: (run) => run };
  return {
    toStore: (tenantId, fields) =>
      fields.environmentJson == null
        ? fields
        : { ...fields, environmentJson: vault.seal(tenantId, fields.environmentJson) },
    open: (run) =>
      run.environmentJson?.startsWith(mark)
        ? { ...run, environmentJson: vault.open(run.tenantId, run.environmentJson) }
        : run,
  };
}

/** Seals environments that earlier versions have stored in clear. */
export const sealEnvironments = (vault: Vault): Migration => ({
  number: 1,
  name: 'environments of runs are sealed',
  async up(db) {
    const runs = db.collection(spec.runs);
    const found = await runs
      .find({ environmentJson: { $ne: null } }, { projection: { tenantId: 1, environmentJson: 1 } })
      .toArray();
    for (const { _id, tenantId, environmentJson } of found) {
      if (environmentJson === null || environmentJson.startsWith(mark)) continue;
      await runs.updateOne(
        { _id, environmentJson },
        { $set: { environmentJson: vault.seal(tenantId, environmentJson) } },
      );
    }
  },
});
