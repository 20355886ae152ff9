// Facts as they are kept: one document a key, which alone decides what is current, and one for each version.

import type { KeptDoc } from '../../ports/record.ts';
import { record } from '../../ports/record.ts';
import type { FactVersion } from './version.ts';

/** What a list shows of the value that holds now. */
type Shown =
  | 'value'
  | 'category'
  | 'importance'
  | 'isCritical'
  | 'provenance'
  | 'temporalSource'
  | 'validFrom'
  | 'validUntil';

/** A key of a project. Every change of the key goes through this one document, guarded by `rev`. */
export interface FactDoc extends KeptDoc, Pick<FactVersion, Shown> {
  projectId: number;
  key: string;
  /** Grows with each change. */
  rev: number;
  /** Whether any version holds now; the fields are of that one, else of the one before. */
  isCurrent: boolean;
  versionId: number;
  versionGuid: string;
  updatedAt: Date;
  /** When the version that holds was first written. */
  writtenAt: Date;
  /** The latest moment at which it was looked at: time does not go back for a fact, whichever node looks. */
  seenAt: Date;
  /** When another version comes to hold, or none does, with nobody writing; null for never. */
  turnsAt: Date | null;
  /** Versions of the last change that are still to be written beside this document: the intent of each change. */
  pending: FactVersion[];
  /** Since when there are some, or the key of the versions is to follow; null when all is done. */
  pendingSince: Date | null;
}

export const factRecord = record<FactDoc>('facts', {
  noun: 'fact',
  list: 'GET /api/projects/{projectId}/facts',
  inProject: true,
  order: '-importance',
  search: ['key', 'value'],
  unique: 'key',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, projectId: 1, key: 1 }, unique: true },
    { keys: { tenantId: 1, projectId: 1, isCurrent: 1, importance: -1 } },
    { keys: { tenantId: 1, projectId: 1, isCurrent: 1, isCritical: 1, importance: -1 } },
    { keys: { tenantId: 1, projectId: 1, isCurrent: 1, category: 1, importance: -1 } },
    { keys: { tenantId: 1, projectId: 1, turnsAt: 1 } },
    { keys: { tenantId: 1, projectId: 1, pendingSince: 1 } },
    { keys: { pendingSince: 1 } },
  ],
});

export const versionRecord = record<FactVersion>('fact_versions', {
  noun: 'fact',
  list: 'GET /api/projects/{projectId}/facts',
  inProject: true,
  order: '-importance',
  search: ['key', 'value'],
  indexes: [
    { keys: { tenantId: 1, factId: 1, retractedAt: 1, validFrom: -1, seq: -1 } },
    { keys: { tenantId: 1, factId: 1, seq: 1 } },
    { keys: { tenantId: 1, factId: 1, onceKey: 1 } },
    { keys: { tenantId: 1, projectId: 1, importance: -1 } },
    { keys: { tenantId: 1, projectId: 1, wasCritical: 1, importance: -1 } },
    { keys: { tenantId: 1, projectId: 1, category: 1, importance: -1 } },
    { keys: { tenantId: 1, sourceRunId: 1 } },
  ],
});
