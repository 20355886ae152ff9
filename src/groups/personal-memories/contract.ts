// Personal memories: what a person wants to be remembered, and by whom it may be seen.
import { z } from 'zod';
import { MemoryVisibility, PersonalMemoryCategory, SuggestionStatus } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, float, int32, int64, nothing, string } from '../../contract/types.ts';
import {
  PersonalMemoryDto,
  PersonalMemoryForgetResult,
  PersonalMemoryHit,
  PersonalMemorySuggestionDto,
} from './dto.ts';

const content = string.trim().min(1).max(8000);
const title = string.trim().min(1).max(300);
const tag = string.trim().min(1).max(100);
const tags = z.array(tag).max(50);
const importance = int32.min(0).max(100);
const identityIds = z.array(int64).max(100);
const needs = 'self';
const sorts = ['createdAtUtc', 'updatedAtUtc', 'importance', 'usedCount', 'lastUsedAtUtc', 'id'] as const;

export const personalMemories = group(
  'PersonalMemories',
  {
    base: '/api/personal-memories',
    doc: 'What a person wants to be remembered. Nobody else reads it; identities that may see it are told of it.',
  },
  {
    list: op.get('', {
      doc: "List the caller's own personal memories, newest first.",
      needs,
      query: listQuery(sorts, {
        category: PersonalMemoryCategory.optional(),
        visibility: MemoryVisibility.optional(),
        q: string.max(200).optional(),
        tag: tag.optional(),
      }),
      data: page(PersonalMemoryDto),
    }),
    create: op.post('', {
      doc: 'Remember something about me; nobody sees it unless visibility says so.',
      needs,
      body: fields({
        content,
        title: title.nullish(),
        category: PersonalMemoryCategory.nullish(),
        importance: importance.nullish(),
        visibility: MemoryVisibility.nullish(),
        identityIds: identityIds.nullish(),
        tags: tags.nullish(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: PersonalMemoryDto,
    }),
    search: op.get('/search', {
      doc: 'Search my memories by words and meaning.',
      needs,
      query: fields({
        q: string.trim().min(1).max(2000),
        category: PersonalMemoryCategory.optional(),
        limit: int32.min(1).max(100).default(10),
        minScore: float.min(0).max(1).optional(),
      }),
      data: z.array(PersonalMemoryHit),
    }),
    forget: op.post('/forget', {
      doc: 'Forget many at once: what matches all that is given, or everything with all. The texts are gone from store and indexes.',
      needs,
      // What is forgotten is not kept as an answer, and twice is the same as once.
      idempotent: false,
      body: fields({
        category: PersonalMemoryCategory.nullish(),
        tag: tag.nullish(),
        sourceIdentityId: int64.nullish(),
        beforeUtc: dateTime.nullish(),
        all: boolean.nullish(),
        confirm: boolean,
      }),
      data: PersonalMemoryForgetResult,
    }),
    suggestions: op.get('/suggestions', {
      doc: 'What chats propose to remember, newest first.',
      needs,
      query: listQuery(['createdAtUtc', 'confidence', 'id'] as const, { status: SuggestionStatus.optional() }),
      data: page(PersonalMemorySuggestionDto),
    }),
    decide: op.post('/suggestions/{id}/decide', {
      doc: 'Accept a suggestion, with other words if content is given, or reject it.',
      needs,
      // The status holds a second decision back by itself.
      idempotent: false,
      body: fields({
        accept: boolean,
        content: content.nullish(),
        category: PersonalMemoryCategory.nullish(),
        visibility: MemoryVisibility.nullish(),
      }),
      data: PersonalMemorySuggestionDto,
    }),
    get: op.get('/{id}', { doc: 'One personal memory, and who used it last.', needs, data: PersonalMemoryDto }),
    patch: op.patch('/{id}', {
      doc: 'Correct a personal memory.',
      needs,
      body: fields({
        content: content.optional(),
        title: title.nullish(),
        category: PersonalMemoryCategory.optional(),
        importance: importance.optional(),
        tags: tags.optional(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: PersonalMemoryDto,
    }),
    remove: op.delete('/{id}', { doc: 'Forget one personal memory.', needs, data: nothing }),
    share: op.put('/{id}/sharing', {
      doc: 'Choose which of my identities may see the memory.',
      needs,
      body: fields({ visibility: MemoryVisibility, identityIds: identityIds.nullish() }),
      data: PersonalMemoryDto,
    }),
  },
);
