// Evaluation as a part of the server; its services need the engine, and stand in the wiring.
import { part, sampleOf } from '../part.ts';
import { evaluationDatasets, experiments } from './contract.ts';
import { caseRecord, evaluationDatasetRecord, experimentRecord } from './record.ts';

export const evaluationPart = part({
  records: [evaluationDatasetRecord, experimentRecord, caseRecord],
  contracts: [],
  serve: () => [],
  samples: [
    sampleOf(evaluationDatasets, (name) => ({ name, items: [{ input: 'Say hello', expected: 'hello' }] }), {
      patch: () => ({ description: 'Other words.' }),
      collect: () => ({ runIds: [] }),
    }),
    sampleOf(
      experiments,
      async (name, make) => ({
        ...{ name, datasetId: await make(evaluationDatasets), maxCostUsd: 0.01 },
        ...{ candidates: [{ name: 'usual' }], scorers: [{ kind: 'Person' as const, name: 'ours' }] },
      }),
      {
        patch: ({ name }) => ({ name: `${name} again` }),
        start: () => ({ maxCostUsd: 0.02 }),
        score: () => ({ scores: [] }),
      },
    ),
  ],
});
