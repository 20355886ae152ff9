// Keeps, harvests and curates training pairs.
import { implement } from '../../../contract/operation.ts';
import type { Filter } from '../../../ports/db.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { shown } from '../../../ports/shown.ts';
import { given } from '../../fields.ts';
import { kept } from '../../kept.ts';
import type { Curators } from '../curators.ts';
import { TrainingPairListDto } from '../dto.ts';
import type { Owned } from '../owned.ts';
import type { ReflectionDoc } from '../reflections/record.ts';
import { addTags, removeTag, unique } from '../tags.ts';
import type { PairBook } from './book.ts';
import { trainingPairs as group } from './contract.ts';
import { pairDraft } from './drafts.ts';
import type { Harvests } from './harvest.ts';
import type { TrainingPairDoc } from './record.ts';

export interface PairsDeps {
  pairs: Keeper<TrainingPairDoc>;
  reflections: Keeper<ReflectionDoc>;
  book: PairBook;
  harvests: Harvests;
  owned: Owned;
  curators: Curators;
}

export const pairsService = implement(group, ({ pairs, reflections, book, harvests, owned, curators }: PairsDeps) => ({
  ...kept(group, pairs, {
    below: { param: 'identityId', parent: owned.identity },
    show: book.show,
    showAll: (docs) => docs.map((doc) => shown(TrainingPairListDto, doc)),
    filters: { tag: (tags: string) => ({ tags }) as Filter<TrainingPairDoc> },
    draft: async (body, caller, { _id: identityId }) => {
      const { sourceReflectionId = null } = body;
      if (sourceReflectionId !== null) await owned.one(reflections, caller, sourceReflectionId);
      const curator = await curators.of(caller);
      // An agent does not pass for a person.
      const curatorType = curator.curatorType === 'Human' ? (body.curatorType ?? 'Human') : 'Agent';
      return pairDraft(curator, {
        ...{ systemPrompt: '', objective: 'Honesty' as const },
        ...given(body),
        ...{
          userPrompt: body.userPrompt,
          chosenResponse: body.chosenResponse,
          rejectedResponse: body.rejectedResponse,
        },
        ...{ curatorType, curatorName: body.curatorName ?? caller.name, identityId, tags: unique(body.tags) },
      });
    },
  }),
  get: async ({ caller, params }) => book.show(await owned.one(pairs, caller, params.id)),
  remove: async ({ caller, params }) => {
    await book.remove(caller, params.id);
    return null;
  },
  harvestEscalations: async ({ caller, params, body }) => {
    const { _id: identityId } = await owned.identity(caller, params.identityId);
    return harvests.escalations(caller, { ...body, identityId });
  },
  harvestRatings: async ({ caller, params, body }) => {
    const { _id: identityId } = await owned.identity(caller, params.identityId);
    return harvests.ratings(caller, { ...body, identityId });
  },
  addTags: async ({ caller, params, body }) => {
    const { _id } = await owned.one(pairs, caller, params.id);
    return book.show(await addTags(pairs, caller, _id, body.tags));
  },
  removeTag: async ({ caller, params }) => {
    const { _id } = await owned.one(pairs, caller, params.id);
    await removeTag(pairs, caller, _id, params.tag);
    return null;
  },
  approve: ({ caller, body }) =>
    book.curate(caller, body.pairIds, { to: 'Approved', notes: body.curationNotes, acceptFlags: body.acceptFlags }),
  reject: ({ caller, body }) => book.curate(caller, body.pairIds, { to: 'Rejected', notes: body.curationNotes }),
}));
