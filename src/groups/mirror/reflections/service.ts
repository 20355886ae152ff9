// Keeps reflections, finds them, and makes training pairs of them.
import type { CompulsionType, TrainingObjective } from '../../../contract/enums.ts';
import { type Handlers, implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Finder } from '../../../memory/finder.ts';
import { hasEmbedding } from '../../../memory/indexing.ts';
import { unindexed } from '../../../memory/kinds.ts';
import type { Indexes } from '../../../memory/ports.ts';
import type { Filter } from '../../../ports/db.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { shown } from '../../../ports/shown.ts';
import { defined } from '../../fields.ts';
import { kept } from '../../kept.ts';
import { ReflectionDto, ReflectionListDto } from '../dto.ts';
import type { Owned } from '../owned.ts';
import type { PairBook } from '../pairs/book.ts';
import { addTags, removeTag, unique } from '../tags.ts';
import { during } from '../times.ts';
import { reflections as group, reflectionPairs } from './contract.ts';
import { type ReflectionDoc, reflectionScope } from './record.ts';

export interface ReflectionsDeps {
  reflections: Keeper<ReflectionDoc>;
  finder: Finder<ReflectionDoc>;
  indexes: Pick<Indexes, 'scrub'>;
  owned: Owned;
}

export const reflectionsService = implement(group, (deps: ReflectionsDeps) => {
  const { reflections, finder, owned, indexes } = deps;
  return {
    ...kept(group, reflections, {
      below: { param: 'identityId', parent: owned.identity },
      show,
      showAll: (docs) => docs.map((doc) => listed(doc)),
      draft: (body, _caller, identity) => ({
        ...body,
        ...{ narrative: body.narrative ?? null, systemPrompt: body.systemPrompt ?? null },
        ...{ sessionReference: body.sessionReference ?? null, tags: unique(body.tags), identityId: identity._id },
        ...unindexed,
      }),
      wrote: (doc) => finder.index(doc),
    }),
    ...lists(deps),
    get: async ({ caller, params }) => show(await owned.one(reflections, caller, params.id)),
    remove: async ({ caller, params }) => {
      const { _id } = await owned.one(reflections, caller, params.id);
      await reflections.remove(caller, _id);
      await finder.forget(caller.tenantId, [_id]);
      await indexes.scrub?.();
      return null;
    },
    addTags: async ({ caller, params, body }) => {
      const { _id } = await owned.one(reflections, caller, params.id);
      return show(await addTags(reflections, caller, _id, body.tags));
    },
    removeTag: async ({ caller, params }) => {
      const { _id } = await owned.one(reflections, caller, params.id);
      await removeTag(reflections, caller, _id, params.tag);
      return null;
    },
  };
});

export const reflectionPairsService = implement(
  reflectionPairs,
  ({ reflections, owned, pairs }: Pick<ReflectionsDeps, 'reflections' | 'owned'> & { pairs: PairBook }) => ({
    create: async ({ caller, params, body }) => {
      const of = await owned.one(reflections, caller, params.reflectionId);
      const pair = await pairs.add(caller, {
        identityId: of.identityId,
        systemPrompt: body.systemPrompt ?? of.systemPrompt ?? '',
        userPrompt: body.userPrompt ?? of.triggerContext,
        chosenResponse: body.chosenResponse ?? of.honestResponse,
        rejectedResponse: body.rejectedResponse ?? of.compliantResponse,
        objective: body.objective ?? objectiveOf[of.compulsionType],
        curationNotes: body.curationNotes ?? null,
        sourceReflectionId: of._id,
        sourceReference: of.sessionReference,
        tags: unique([...of.tags, ...(body.tags ?? [])]),
      });
      return pairs.show(pair);
    },
  }),
);

const lists = ({ reflections, finder, owned }: ReflectionsDeps): Pick<Handlers<typeof group>, Lists> => ({
  list: async ({ caller, params, query: { fromUtc, toUtc, minIntensity, ...query } }) => {
    await owned.identity(caller, params.identityId);
    const least = minIntensity === undefined ? {} : { intensity: { $gte: minIntensity } };
    const within = { identityId: params.identityId, ...during(fromUtc, toUtc), ...least } as Filter<ReflectionDoc>;
    const filters = { tag: (tags: string) => ({ tags }) as Filter<ReflectionDoc> };
    const { items, totalCount } = await reflections.page(caller, query, { within, filters });
    return toPage(
      items.map((doc) => listed(doc)),
      totalCount,
      query,
    );
  },
  byCompulsion: async ({ caller, params, query }) => {
    await owned.identity(caller, params.identityId);
    const { items, totalCount } = await reflections.page(caller, query, {
      within: { identityId: params.identityId },
    });
    return toPage(
      items.map((doc) => listed(doc)),
      totalCount,
      query,
    );
  },
  search: async ({ caller, params: { identityId }, query: { q, limit, minScore, compulsionType } }) => {
    await owned.identity(caller, identityId);
    const which = { identityId, ...defined({ compulsionType }) };
    const found = await finder.search({
      tenantId: caller.tenantId,
      scopes: [reflectionScope(identityId)],
      question: q,
      limit,
      minScore,
      load: (ids) =>
        reflections
          .of(caller.tenantId)
          .find({ ...which, _id: { $in: [...ids] } } as Filter<ReflectionDoc>)
          .toArray(),
    });
    return found.map(({ doc, score }) => listed(doc, score));
  },
});
type Lists = 'list' | 'byCompulsion' | 'search';

const show = (doc: ReflectionDoc): ReflectionDto => shown(ReflectionDto, doc, { hasEmbedding: hasEmbedding(doc) });
const listed = (doc: ReflectionDoc, score: number | null = null): ReflectionListDto =>
  shown(ReflectionListDto, doc, { hasEmbedding: hasEmbedding(doc), score });

/** What resisting a pull is good for. */
const objectiveOf: Record<CompulsionType, TrainingObjective> = {
  Sycophancy: 'Honesty',
  FalseAgreement: 'Honesty',
  Fabrication: 'Honesty',
  AuthorityDeference: 'Honesty',
  ConflictAvoidance: 'Honesty',
  Other: 'Honesty',
  Overconfidence: 'Calibration',
  ExcessiveHedging: 'Calibration',
  NeedlessRefusal: 'Helpfulness',
  PrematureCompletion: 'InstructionFollowing',
  Overapology: 'Style',
  Verbosity: 'Style',
  SelfDiminishing: 'Persona',
};
