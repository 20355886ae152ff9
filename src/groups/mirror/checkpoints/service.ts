// Keeps checkpoints and puts them into use.
import { implement } from '../../../contract/operation.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { CheckpointDoc } from '../../../ports/checkpoints.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { shown } from '../../../ports/shown.ts';
import { kept } from '../../kept.ts';
import { ModelCheckpointDto } from '../dto.ts';
import type { Owned } from '../owned.ts';
import type { TrainingRunDoc } from '../training/record.ts';
import type { CheckpointBook } from './book.ts';
import { checkpoints as group } from './contract.ts';

export interface CheckpointsDeps {
  checkpoints: Keeper<CheckpointDoc>;
  runs: Keeper<TrainingRunDoc>;
  book: CheckpointBook;
  owned: Owned;
}

const show = (doc: CheckpointDoc): ModelCheckpointDto => shown(ModelCheckpointDto, doc);

export const checkpointsService = implement(group, ({ checkpoints, runs, book, owned }: CheckpointsDeps) => {
  const rules = kept(group, checkpoints, {
    below: { param: 'identityId', parent: owned.identity },
    show,
    draft: async (body, caller, { _id: identityId }) => {
      const { status, parentCheckpointId = null, trainingRunId = null } = body;
      if (status === 'Retired')
        throw new Fault('INVALID_TRANSITION', 'A new checkpoint is a Candidate or Active.', {
          hint: 'Leave status out; it retires when another one becomes Active.',
        });
      if (status === 'Active' && !caller.permissions.has('TrainingApprove'))
        throw new Fault('FORBIDDEN', 'To put a checkpoint into use takes the permission TrainingApprove.', {
          hint: 'Note it as a Candidate, and have a person approve it.',
        });
      if (parentCheckpointId !== null)
        sameIdentity(await owned.one(checkpoints, caller, parentCheckpointId), identityId);
      if (trainingRunId !== null) sameIdentity(await owned.one(runs, caller, trainingRunId), identityId);
      return {
        ...{ identityId, modelName: body.modelName, version: body.version, parentCheckpointId, trainingRunId },
        ...{ architecture: body.architecture ?? null, weightsPath: body.weightsPath ?? null },
        ...{ description: body.description ?? null, status: 'Candidate', madeByRunId: 0 },
      };
    },
  });
  return {
    ...rules,
    create: async (input) => {
      const made = await rules.create(input);
      if (input.body.status !== 'Active') return made;
      return show(await book.activate(input.caller, await checkpoints.get(input.caller, made.id)));
    },
    get: async ({ caller, params }) => show(await owned.one(checkpoints, caller, params.id)),
    lineage: async ({ caller, params }) =>
      (await book.lineage(caller, await owned.one(checkpoints, caller, params.id))).map(show),
  };
});

function sameIdentity(one: { identityId: number }, identityId: number): void {
  if (one.identityId === identityId) return;
  throw new Fault('VALIDATION_FAILED', 'It belongs to another identity.', {
    hint: 'Name a checkpoint and a training run of this identity.',
  });
}
