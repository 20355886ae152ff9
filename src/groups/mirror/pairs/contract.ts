// Training pairs: a prompt with the answer to prefer and the one to avoid, curated before anything is trained on them.
import { z } from 'zod';
import { crud } from '../../../contract/crud.ts';
import { CurationStatus, CuratorType, TrainingObjective } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { boolean, dateTime, double, fields, int32, int64, nothing, string } from '../../../contract/types.ts';
import {
  BulkCurationResult,
  givenTag,
  givenTags,
  HarvestResult,
  TrainingPairDto,
  TrainingPairListDto,
  tagsBody,
} from '../dto.ts';

const read = 'MirrorRead';
const write = 'MirrorWrite';
const text = string.max(64_000);
const said = text.trim().min(1);
const notes = string.max(8000).nullish();
const at = '/identities/{identityId}/training-pairs';
const curation = { pairIds: z.array(int64).min(1).max(500), curationNotes: notes };
const harvested = {
  fromUtc: dateTime.nullish(),
  toUtc: dateTime.nullish(),
  objective: TrainingObjective.nullish(),
  max: int32.min(1).max(500).nullish(),
  dryRun: boolean.nullish(),
};

const { list, create, get, remove } = crud({
  noun: 'training pair',
  at,
  one: '/training-pairs/{id}',
  dto: TrainingPairDto,
  item: TrainingPairListDto,
  read,
  write,
  sorts: ['createdAtUtc', 'id'],
  filters: {
    curationStatus: CurationStatus.optional(),
    objective: TrainingObjective.optional(),
    curatorType: CuratorType.optional(),
    tag: givenTag.optional(),
    q: string.max(200).optional(),
  },
  create: {
    systemPrompt: text.nullish(),
    userPrompt: said,
    chosenResponse: said,
    rejectedResponse: text,
    objective: TrainingObjective.nullish(),
    curatorType: CuratorType.nullish(),
    curatorName: string.max(200).nullish(),
    curationNotes: notes,
    sourceReflectionId: int64.nullish(),
    sourceReference: string.max(300).nullish(),
    tags: givenTags.nullish(),
  },
  patch: {},
  docs: {
    list: 'List the training pairs of an identity, newest first.',
    create: 'Write a draft of a training pair; an empty rejectedResponse leaves it out of pairs by preference.',
    remove: 'Delete a training pair. Datasets that were trained on keep its text, others lose it.',
  },
});

export const trainingPairs = group(
  'Mirror',
  {
    id: 'TrainingPairs',
    base: '/api',
    doc: 'What an identity can learn from, drafted by many and approved by people.',
  },
  {
    list,
    create,
    get,
    remove,
    harvestEscalations: op.post(`${at}/harvest-escalations`, {
      doc: 'Make drafts of decided escalations of the identity: what was decided is chosen over what was recommended.',
      needs: write,
      body: fields({ ...harvested, minConfidence: double.min(0).max(1).nullish() }),
      data: HarvestResult,
    }),
    harvestRatings: op.post(`${at}/harvest-ratings`, {
      doc: 'Ours: make drafts of rated runs of the identity, and of rated replies in chats of the caller.',
      needs: write,
      body: fields(harvested),
      data: HarvestResult,
    }),
    addTags: op.post('/training-pairs/{id}/tags', {
      doc: 'Add tags to a training pair.',
      needs: write,
      body: tagsBody,
      data: TrainingPairDto,
    }),
    removeTag: op.delete('/training-pairs/{id}/tags/{tag}', {
      doc: 'Take a tag from a training pair.',
      needs: write,
      data: nothing,
    }),
    approve: op.post('/training-pairs/approve', {
      doc: 'Approve pairs for training; only people do. Those that cannot be approved are skipped, also those with scrubFlags unless acceptFlags (ours) says that somebody has looked.',
      needs: 'TrainingApprove',
      body: fields({ ...curation, acceptFlags: boolean.nullish() }),
      data: BulkCurationResult,
    }),
    reject: op.post('/training-pairs/reject', {
      doc: 'Reject pairs; nothing is trained on them from then on. Those that were trained on already are skipped.',
      needs: 'TrainingApprove',
      body: fields(curation),
      data: BulkCurationResult,
    }),
  },
);
