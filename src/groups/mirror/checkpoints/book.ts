// The checkpoints: how they come about, and which one of an identity is active.
import type { CheckpointDoc } from '../../../ports/checkpoints.ts';
import { isDuplicate } from '../../../ports/duplicate.ts';
import type { By, Keeper } from '../../../ports/keeper.ts';
import type { Draft } from '../../../ports/record.ts';

interface Deps {
  checkpoints: Keeper<CheckpointDoc>;
  /** Routes read the active checkpoints anew. */
  routesChanged(tenantId: number): void;
}

export function createCheckpointBook({ checkpoints, routesChanged }: Deps) {
  const ofRun = ({ tenantId }: By, trainingRunId: number) => checkpoints.of(tenantId).findOne({ trainingRunId });
  const active = ({ tenantId }: By, identityId: number) =>
    checkpoints.of(tenantId).findOne({ identityId, status: 'Active' });
  const change = (by: By, id: number, status: CheckpointDoc['status']) =>
    checkpoints.change(by, id, (old) => (old.status === status ? {} : { status }), { expecting: ['status'] });

  return {
    ofRun,
    active,
    /** Puts one into use; the one before retires first, so that there are never two. */
    async activate(by: By, one: CheckpointDoc): Promise<CheckpointDoc> {
      const before = await active(by, one.identityId);
      if (before && before._id !== one._id) await change(by, before._id, 'Retired');
      const now = await change(by, one._id, 'Active');
      routesChanged(by.tenantId);
      return now;
    },
    retire: (by: By, { _id }: CheckpointDoc) => change(by, _id, 'Retired'),
    /** What a training run made; once, whoever says it again. */
    async ofTraining(
      by: By,
      run: { _id: number; identityId: number } & Pick<
        Draft<CheckpointDoc>,
        'modelName' | 'architecture' | 'weightsPath'
      >,
    ) {
      const there = await ofRun(by, run._id);
      if (there) return there;
      const { identityId, modelName, architecture, weightsPath } = run;
      const parent = await active(by, identityId);
      try {
        return await checkpoints.insert(by, {
          ...{ identityId, modelName, architecture, weightsPath, trainingRunId: run._id, madeByRunId: run._id },
          ...{ version: `run-${run._id}`, status: 'Candidate', description: null },
          parentCheckpointId: parent?._id ?? null,
        });
      } catch (error) {
        // Settled by somebody else at the same time.
        const made = isDuplicate(error) ? await ofRun(by, run._id) : null;
        if (made) return made;
        throw error;
      }
    },
    /** The ones that it comes from, the oldest first, itself last. Parents are older, so the way ends. */
    async lineage(by: By, one: CheckpointDoc): Promise<CheckpointDoc[]> {
      const way = [one];
      for (let at = one; at.parentCheckpointId !== null && at.parentCheckpointId < at._id; ) {
        const parent = await checkpoints.find(by, at.parentCheckpointId);
        if (!parent) break;
        way.push(parent);
        at = parent;
      }
      return way.reverse();
    },
  };
}
export type CheckpointBook = ReturnType<typeof createCheckpointBook>;
