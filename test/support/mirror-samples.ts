// What the mirror of an identity holds, made through the API, and how each of its operations is called.
import type { SampleMaker } from './sample-maker.ts';
import type { Sample } from './samples.ts';
import type { TestServer } from './test-server.ts';

type More = Omit<Sample, 'params'>;
type Maker = Pick<SampleMaker, 'identity' | 'made' | 'name' | 'call'>;

const tagged = { tags: ['added'] };

/** One of each kind, each made anew. */
export function mirrorOf(maker: Maker) {
  const inIdentity = async (path: string, body: object) => {
    const { id } = await maker.identity();
    return maker.made(`/api/identities/${id}/${path}`, body);
  };
  const name = maker.name();
  const pair = () =>
    inIdentity('training-pairs', {
      ...{ userPrompt: name, chosenResponse: `${name}, yes`, rejectedResponse: `${name}, no`, tags: ['kept'] },
    });
  const dataset = () => inIdentity('datasets', { name, primaryObjective: 'Honesty' });
  const filled = async () => {
    const [{ id: pairId }, set] = [await pair(), await dataset()];
    await maker.call('POST', '/api/training-pairs/approve', { pairIds: [pairId] });
    await maker.call('POST', `/api/datasets/${set.id}/populate`, { pairIds: [pairId] });
    return set;
  };
  return {
    reflection: () =>
      inIdentity('reflections', {
        ...{ compulsionType: 'Sycophancy', intensity: 4, wasResisted: true, triggerContext: `${name} asks` },
        ...{ compliantResponse: `${name} is right`, honestResponse: `${name} is not right`, tags: ['kept'] },
      }),
    pair,
    dataset,
    filled,
    trainingRun: async () => {
      const { id } = await filled();
      return inIdentity('training-runs', { datasetId: id, baseModelName: 'small' });
    },
    checkpoint: () => inIdentity('checkpoints', { modelName: name, version: '1' }),
  };
}
type Kind = keyof ReturnType<typeof mirrorOf>;

const one = (kind: Kind, more: More & { tag?: string; param?: string } = {}) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => {
    const { tag, param = 'id', ...rest } = more;
    const { id } = await mirrorOf(maker)[kind]();
    return { params: { [param]: id, ...(tag && { tag }) }, ...rest };
  },
});
const inIdentity = (more: More = {}) => ({
  sample: async (maker: SampleMaker): Promise<Sample> => ({
    params: { identityId: (await maker.identity()).id },
    ...more,
  }),
});
const reflection = {
  ...{ compulsionType: 'Verbosity', intensity: 2, wasResisted: false, triggerContext: 'a question' },
  ...{ compliantResponse: 'long', honestResponse: 'short' },
};
const pair = { userPrompt: 'What is it?', chosenResponse: 'A heron.', rejectedResponse: 'Whatever you say.' };

export const mirrorSamples = {
  Reflections_list: inIdentity(),
  Reflections_create: inIdentity({ body: reflection }),
  Reflections_byCompulsion: inIdentity({ query: 'compulsionType=Sycophancy' }),
  Reflections_search: inIdentity({ query: 'q=heron' }),
  Reflections_get: one('reflection'),
  Reflections_remove: one('reflection'),
  Reflections_addTags: one('reflection', { body: tagged }),
  Reflections_removeTag: one('reflection', { tag: 'kept' }),
  ReflectionPairs_create: one('reflection', { param: 'reflectionId', body: {} }),
  TrainingPairs_list: inIdentity(),
  TrainingPairs_create: inIdentity({ body: pair }),
  TrainingPairs_harvestEscalations: inIdentity({ body: {} }),
  TrainingPairs_harvestRatings: inIdentity({ body: {} }),
  TrainingPairs_get: one('pair'),
  TrainingPairs_remove: one('pair'),
  TrainingPairs_addTags: one('pair', { body: tagged }),
  TrainingPairs_removeTag: one('pair', { tag: 'kept' }),
  Datasets_list: inIdentity(),
  Datasets_create: inIdentity({ body: { name: 'A dataset', primaryObjective: 'Honesty' } }),
  Datasets_get: one('dataset'),
  Datasets_remove: one('dataset'),
  Datasets_populate: one('dataset', { body: {} }),
  Datasets_export: one('filled'),
  TrainingRuns_list: inIdentity(),
  TrainingRuns_create: {
    sample: async (maker: SampleMaker): Promise<Sample> => {
      const { id: datasetId } = await mirrorOf(maker).filled();
      const { id: identityId } = await maker.identity();
      return { params: { identityId }, body: { datasetId, baseModelName: 'small' } };
    },
  },
  TrainingRuns_get: one('trainingRun'),
  TrainingRuns_setStatus: one('trainingRun', { body: { status: 'Running' } }),
  Checkpoints_list: inIdentity(),
  Checkpoints_create: inIdentity({ body: { modelName: 'small', version: '1' } }),
  Checkpoints_get: one('checkpoint'),
  Checkpoints_lineage: one('checkpoint'),
  Mirror_stats: inIdentity(),
  Mirror_drift: inIdentity(),
};

/** An identity of its own with a dataset of two pairs, through a server's client. */
export async function trainable({ client }: Pick<TestServer, 'client'>, name = `Learner ${++learners}`) {
  const { id: identityId } = await client.identities.create({ body: { name, type: 'AI' } });
  const params = { identityId };
  const pairIds: number[] = [];
  for (const subject of ['herons', 'old bridges']) {
    const body = {
      userPrompt: `About ${subject}?`,
      chosenResponse: `Plainly ${subject}`,
      rejectedResponse: `Gladly ${subject}`,
    };
    pairIds.push((await client.trainingPairs.create({ params, body })).id);
  }
  await client.trainingPairs.approve({ body: { pairIds } });
  const { id } = await client.datasets.create({ params, body: { name: 'Candour', primaryObjective: 'Honesty' } });
  await client.datasets.populate({ params: { id }, body: { pairIds } });
  return { identityId, datasetId: id };
}
let learners = 0;
