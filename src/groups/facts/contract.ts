// Facts: what is so in a project, since when, and since when that is known.
import { z } from 'zod';
import { Provenance, SortDirection } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, float, int32, nothing, string } from '../../contract/types.ts';
import { FactDto, FactWriteDto } from './dto.ts';

const key = string.trim().min(1).max(200);
const value = string.trim().min(1).max(8000);
const category = string.trim().min(1).max(100);
const importance = int32.min(1).max(10);
const temporalSource = string.trim().min(1).max(100);
const sorts = ['importance', 'key', 'category', 'validFromUtc', 'createdAtUtc', 'updatedAtUtc'] as const;
const of = '/projects/{projectId}/facts';
const read = 'FactsRead';
const write = 'FactsWrite';

export const facts = group(
  'Facts',
  {
    base: '/api',
    doc: 'What is so in a project: a value a key, with the time for which it holds. What was said before stays.',
  },
  {
    list: op.get(of, {
      doc: 'List what holds now, the most important first; with currentOnly=false every version that counts.',
      needs: read,
      query: listQuery(sorts, {
        category: category.optional(),
        minImportance: int32.optional(),
        isCritical: boolean.optional(),
        currentOnly: boolean.optional(),
        q: string.max(200).optional(),
      }),
      data: page(FactDto),
    }),
    create: op.post(of, {
      doc: 'Say what is so. A new value ends the one that held; one that is older than what is known ends where that begins. The same value again answers the fact that is there.',
      needs: write,
      body: fields({
        key,
        value,
        category: category.nullish(),
        importance: importance.nullish(),
        isCritical: boolean.nullish(),
        provenance: Provenance.nullish(),
        validFromUtc: dateTime.nullish(),
        validUntilUtc: dateTime.nullish(),
        temporalSource: temporalSource.nullish(),
      }),
      data: FactWriteDto,
    }),
    byKey: op.get(`${of}/by-key/{key}`, { doc: 'What holds now.', needs: read, data: FactDto }),
    asOf: op.get(`${of}/by-key/{key}/as-of`, {
      doc: 'What held at a moment. Ours: with recordedAtUtc, as far as it was known by then.',
      needs: read,
      query: fields({ atUtc: dateTime, recordedAtUtc: dateTime.optional() }),
      data: FactDto,
    }),
    history: op.get(`${of}/by-key/{key}/history`, {
      doc: 'All that was ever said, the newest first: what ended has validUntilUtc, what was never true retractedAtUtc.',
      needs: read,
      query: fields({ limit: int32.min(1).max(1000).default(100), order: SortDirection.optional() }),
      data: z.array(FactDto),
    }),
    search: op.get(`${of}/search`, {
      doc: 'Search keys and values by words, the best first.',
      needs: read,
      query: fields({
        q: string.trim().min(1).max(2000),
        limit: int32.min(1).max(100).default(20),
        category: category.optional(),
        currentOnly: boolean.optional(),
        minScore: float.min(0).max(1).optional(),
      }),
      data: z.array(FactDto),
    }),
    get: op.get('/facts/{id}', { doc: 'Get one version of a fact.', needs: read, data: FactDto }),
    patch: op.patch('/facts/{id}', {
      doc: 'Correct a version: what it said before counts as never true. An end (validUntilUtc) says how long it was so. A new key renames the fact with all its versions.',
      needs: write,
      body: fields({
        key: key.optional(),
        value: value.optional(),
        category: category.nullish(),
        importance: importance.optional(),
        isCritical: boolean.optional(),
        provenance: Provenance.optional(),
        validFromUtc: dateTime.optional(),
        validUntilUtc: dateTime.nullish(),
        temporalSource: temporalSource.nullish(),
      }),
      data: FactDto,
    }),
    remove: op.delete('/facts/{id}', {
      doc: 'Take a version back as if it had never been written: what it had ended holds again.',
      needs: write,
      data: nothing,
    }),
  },
);
