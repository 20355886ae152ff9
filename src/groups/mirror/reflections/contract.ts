// Reflections: moments in which an identity felt pulled to say what pleases, and what it did.
import { z } from 'zod';
import { crud } from '../../../contract/crud.ts';
import { CompulsionType, TrainingObjective } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, dateTime, fields, float, int32, nothing, string } from '../../../contract/types.ts';
import { givenTag, givenTags, ReflectionDto, ReflectionListDto, TrainingPairDto, tagsBody } from '../dto.ts';

const read = 'MirrorRead';
const write = 'MirrorWrite';
const text = string.max(32_000);
const said = text.trim().min(1);
const intensity = int32.min(1).max(10);
const sorts = ['createdAtUtc', 'intensity', 'id'] as const;
const at = '/identities/{identityId}/reflections';

const { list, create, get, remove } = crud({
  noun: 'reflection',
  at,
  one: '/reflections/{id}',
  dto: ReflectionDto,
  item: ReflectionListDto,
  read,
  write,
  sorts,
  filters: {
    fromUtc: dateTime.optional(),
    toUtc: dateTime.optional(),
    compulsionType: CompulsionType.optional(),
    wasResisted: boolean.optional(),
    minIntensity: int32.optional(),
    tag: givenTag.optional(),
  },
  create: {
    compulsionType: CompulsionType,
    intensity,
    wasResisted: boolean,
    triggerContext: said,
    compliantResponse: text,
    honestResponse: said,
    narrative: text.nullish(),
    systemPrompt: text.nullish(),
    sessionReference: string.max(300).nullish(),
    tags: givenTags.nullish(),
  },
  patch: {},
  docs: {
    list: 'List the reflections of an identity, newest first.',
    create: 'Note a pull that an identity felt: what it would have said to please, and what is honest.',
    remove: 'Delete a reflection; pairs that were made of it stay.',
  },
});

export const reflections = group(
  'Mirror',
  { id: 'Reflections', base: '/api', doc: 'Where an identity felt pulled to please, and whether it resisted.' },
  {
    list,
    create,
    get,
    remove,
    byCompulsion: op.get(`${at}/by-compulsion`, {
      doc: 'List the reflections on one kind of pull, newest first.',
      needs: read,
      query: listQuery(sorts, { compulsionType: CompulsionType, wasResisted: boolean.optional() }),
      data: page(ReflectionListDto),
    }),
    search: op.get(`${at}/search`, {
      doc: 'Search the reflections of an identity by words and meaning, the best first.',
      needs: read,
      query: fields({
        q: string.trim().min(1).max(2000),
        limit: int32.min(1).max(100).default(10),
        minScore: float.min(0).max(1).optional(),
        compulsionType: CompulsionType.optional(),
      }),
      data: z.array(ReflectionListDto),
    }),
    addTags: op.post('/reflections/{id}/tags', {
      doc: 'Add tags to a reflection.',
      needs: write,
      body: tagsBody,
      data: ReflectionDto,
    }),
    removeTag: op.delete('/reflections/{id}/tags/{tag}', {
      doc: 'Take a tag from a reflection.',
      needs: write,
      data: nothing,
    }),
  },
);

export const reflectionPairs = group(
  'Mirror',
  { id: 'ReflectionPairs', base: '/api/reflections/{reflectionId}/training-pair', doc: 'Reflections to learn from.' },
  {
    create: op.post('', {
      doc: 'Make a draft of a training pair from a reflection: the honest answer is chosen unless another is given.',
      needs: write,
      body: fields({
        userPrompt: said.nullish(),
        systemPrompt: text.nullish(),
        chosenResponse: said.nullish(),
        rejectedResponse: text.nullish(),
        objective: TrainingObjective.nullish(),
        curationNotes: string.max(8000).nullish(),
        tags: givenTags.nullish(),
      }),
      data: TrainingPairDto,
    }),
  },
);
