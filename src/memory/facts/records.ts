// Records of facts: one document per key, which alone decides what is current, and one per version.

import type { KeptDoc } from '../../ports/record.ts';
import { record } from '../../ports/record.ts';
import type { FactVersion } from './version.ts';

/** Fields for lists, from the value that holds now. */
type Shown =
  | 'value'
  | 'category'
  | 'importance'
  | 'isCritical'
  | 'provenance'
  | 'temporalSource'
  | 'validFrom'
  | 'validUntil';

/** A key of a project. Every change of the key is a write of this document, guarded by `rev`. */
export interface FactDoc extends KeptDoc, Pick<FactVersion, Shown> {
  projectId: number;
  key: string;
  /** Revision; grows with each change. */
  rev: number;
  /** Whether a version holds now; the fields are of that one, else of the last one that held. */
  isCurrent: boolean;
  versionId: number;
  versionGuid: string;
  updatedAt: Date;
  /** Time at which the current version was first written. */
  writtenAt: Date;
  /** Time of the latest write: time does not go back for a fact, on whichever node. */
  seenAt: Date;
  /** Time at which the current version changes by itself; null for never. */
  turnsAt: Date | null;
  /** Versions of the last change that are not stored yet: the intent of each change. */
  pending: FactVersion[];
  /** Time since which there are such versions, or since which their key must be updated; null when all is done. */
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
    {
      keys: { tenantId: 1, sourceImportId: 1 },
      name: 'imported',
      partialFilterExpression: { sourceImportId: { $gt: 0 } },
    },
  ],
});
