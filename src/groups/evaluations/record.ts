// Datasets, experiments and their cases as they are kept.
import { type KeptDoc, record, type Stored } from '../../ports/record.ts';
import type { EvaluationDatasetDto, ExperimentCaseDto, ExperimentListDto } from './dto.ts';

export type EvaluationDatasetDoc = Stored<Omit<EvaluationDatasetDto, 'itemCount'>>;

export interface ExperimentDoc extends Stored<Omit<ExperimentListDto, 'endedCount'>> {
  createdByUserId: number | null;
  createdByIdentityId: number | null;
  /** All its cases are there. */
  isPlanned: boolean;
  /** The evaluation is running, or has runs to stop. */
  isOpen: boolean;
  /** The node that works on it, and until when others leave it alone. */
  heldBy: string | null;
  heldUntil: Date | null;
}

export interface CaseDoc extends KeptDoc, Omit<Stored<ExperimentCaseDto>, 'tenantId'> {
  /** What its run may cost, US dollars; held back from the budget while it runs. */
  capUsd: number;
  /** Grows each time that it is begun anew. */
  attempt: number;
}

export const evaluationDatasetRecord = record<EvaluationDatasetDoc>('evaluation_datasets', {
  noun: 'evaluation dataset',
  list: 'GET /api/evaluation/datasets',
  order: '-createdAtUtc',
  staysSmall: true,
  inProject: true,
  search: ['name', 'description'],
  indexes: [{ keys: { tenantId: 1, createdAt: -1 } }, { keys: { tenantId: 1, projectId: 1, createdAt: -1 } }],
});

export const experimentRecord = record<ExperimentDoc>('experiments', {
  noun: 'experiment',
  list: 'GET /api/evaluation/experiments',
  order: '-createdAtUtc',
  staysSmall: true,
  inProject: true,
  search: ['name'],
  indexes: [
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, datasetId: 1, createdAt: -1 } },
    { keys: { isOpen: 1, _id: 1 }, name: 'open', partialFilterExpression: { isOpen: true } },
  ],
});

export const caseRecord = record<CaseDoc>('experiment_cases', {
  noun: 'case',
  list: 'GET /api/evaluation/experiments/{id}/cases',
  order: 'id',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, experimentId: 1, item: 1, candidate: 1 }, unique: true },
    { keys: { tenantId: 1, experimentId: 1, status: 1, _id: 1 } },
  ],
});
