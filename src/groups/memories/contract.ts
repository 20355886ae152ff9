// Memories: what an identity knows, linked, and found by words and by meaning.
import { z } from 'zod';
import { LinkType, MemoryType, Provenance, SearchMode } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, float, int32, int64, nothing, string } from '../../contract/types.ts';
import {
  HebbianLinkDto,
  MemoryChangeDto,
  MemoryDetailDto,
  MemoryDuplicates,
  MemoryForgottenDto,
  MemoryListDto,
  MemorySearchResult,
  MemoryWriteDto,
} from './dto.ts';

const title = string.trim().min(1).max(300);
const content = string.trim().min(1).max(64_000);
const tag = string.trim().min(1).max(100);
const tags = z.array(tag).max(50);
const importance = int32.min(0).max(100);
const limit = int32.min(1).max(100);
const share = float.min(0).max(1);
const sorts = [
  'createdAtUtc',
  'updatedAtUtc',
  'importance',
  'title',
  'accessCount',
  'lastAccessedAtUtc',
  'id',
] as const;
/** Ours: when a memory was written. */
const written = { fromUtc: dateTime.optional(), toUtc: dateTime.optional() };
const of = '/identities/{identityId}/memories';
const read = 'MemoriesRead';
const write = 'MemoriesWrite';

export const memories = group(
  'Memories',
  { base: '/api', doc: 'What an identity knows: written once, found by words at once and by meaning soon after.' },
  {
    list: op.get(of, {
      doc: "List an identity's memories, newest first: all of one that the caller may act as, else what it shares.",
      needs: read,
      query: listQuery(sorts, {
        type: MemoryType.optional(),
        provenance: Provenance.optional(),
        projectId: int64.optional(),
        tag: tag.optional(),
        isPinned: boolean.optional(),
        isShared: boolean.optional(),
        includeArchived: boolean.optional(),
        minImportance: int32.optional(),
        ...written,
        q: string.max(200).optional(),
      }),
      data: page(MemoryListDto),
    }),
    create: op.post(of, {
      doc: 'Remember something. The same text again answers the memory that is there; one that says nearly the same supersedes it by a link.',
      needs: write,
      body: fields({
        title,
        content,
        type: MemoryType.nullish(),
        provenance: Provenance.nullish(),
        importance: importance.nullish(),
        isPinned: boolean.nullish(),
        isShared: boolean.nullish(),
        projectId: int64.nullish(),
        tags: tags.nullish(),
        linkToMemoryIds: z.array(int64).max(50).nullish(),
      }),
      data: MemoryWriteDto,
    }),
    pinned: op.get(`${of}/pinned`, {
      doc: 'Pinned memories, the most important first.',
      needs: read,
      query: fields({ limit: limit.default(20), projectId: int64.optional() }),
      data: z.array(MemoryListDto),
    }),
    recent: op.get(`${of}/recent`, {
      doc: 'The newest memories.',
      needs: read,
      query: fields({
        limit: limit.default(20),
        days: int32.min(1).max(36_500).optional(),
        type: MemoryType.optional(),
        projectId: int64.optional(),
      }),
      data: z.array(MemoryListDto),
    }),
    search: op.get(`${of}/search`, {
      doc: "Search by words and meaning, through links too. No model is called; what the parameters leave open is as in the identity's memory configuration.",
      needs: read,
      query: fields({
        q: string.trim().min(1).max(2000),
        limit: limit.optional(),
        minScore: share.optional(),
        mode: SearchMode.optional(),
        types: z.array(MemoryType).max(20).optional(),
        projectId: int64.optional(),
        tag: tag.optional(),
        provenance: Provenance.optional(),
        isShared: boolean.optional(),
        ...written,
        includeArchived: boolean.optional(),
        includeShared: boolean.optional(),
        linkExpansionDepth: int32.min(0).max(3).optional(),
      }),
      data: MemorySearchResult,
    }),
    get: op.get('/memories/{id}', {
      doc: 'Get one memory with its links; the look is counted unless countAccess is false.',
      needs: read,
      query: fields({ countAccess: boolean.optional() }),
      data: MemoryDetailDto,
    }),
    patch: op.patch('/memories/{id}', {
      doc: 'Change some fields of a memory.',
      needs: write,
      body: fields({
        title: title.optional(),
        content: content.optional(),
        type: MemoryType.optional(),
        provenance: Provenance.optional(),
        importance: importance.optional(),
        isPinned: boolean.optional(),
        isShared: boolean.optional(),
        projectId: int64.nullish(),
        tags: tags.optional(),
      }),
      data: MemoryWriteDto,
    }),
    replace: op.put('/memories/{id}', {
      doc: 'Replace a memory.',
      needs: write,
      body: fields({
        title,
        content,
        type: MemoryType,
        provenance: Provenance.nullish(),
        importance,
        isPinned: boolean,
        isShared: boolean,
        projectId: int64.nullish(),
        tags,
      }),
      data: MemoryWriteDto,
    }),
    remove: op.delete('/memories/{id}', {
      doc: 'Ours: forget a memory for good, with its links and what the indexes have of it; what it superseded counts again.',
      needs: write,
      data: MemoryForgottenDto,
    }),
    history: op.get('/memories/{id}/history', {
      doc: 'Ours: what became of a memory and by what: written, changed with what it said before, superseded, archived; oldest first.',
      needs: read,
      data: z.array(MemoryChangeDto),
    }),
    archive: op.post('/memories/{id}/archive', {
      doc: 'Archive a memory, or bring it back with archived: false.',
      needs: write,
      body: fields({ archived: boolean.nullish(), reason: string.max(1000).nullish() }),
      data: MemoryListDto,
    }),
    merge: op.post('/memories/{id}/merge', {
      doc: 'Ours: make one memory of two, in one step. This one says both, with the tags, links and looks of both; the other one is archived, superseded by it, and can be brought back. What is not said is as it was, one after the other.',
      needs: write,
      body: fields({ otherId: int64, title: title.nullish(), content: content.nullish() }),
      data: MemoryWriteDto,
    }),
    duplicates: op.get(`${of}/duplicates`, {
      doc: "Ours: pairs of an identity's memories that say nearly the same, for review: those of some memories, newest first, and where to go on.",
      needs: read,
      query: fields({ before: int64.optional(), least: share.default(0.7) }),
      data: MemoryDuplicates,
    }),
    link: op.post('/memories/{id}/links', {
      doc: 'Link a memory to another one; linking the same two again changes their link.',
      needs: write,
      body: fields({ toMemoryId: int64, type: LinkType.nullish(), strength: share.nullish() }),
      data: HebbianLinkDto,
    }),
    unlink: op.delete('/memories/{id}/links/{targetId}', {
      doc: 'Drop the link between two memories, whichever way it goes.',
      needs: write,
      data: nothing,
    }),
    strengthen: op.post('/memories/{id}/links/{targetId}/strengthen', {
      doc: 'Strengthen a link: the increment times what is missing to 1.',
      needs: write,
      body: fields({ increment: share.nullish() }),
      data: HebbianLinkDto,
    }),
    addTags: op.post('/memories/{id}/tags', {
      doc: 'Add tags.',
      needs: write,
      body: fields({ tags: tags.min(1) }),
      data: MemoryWriteDto,
    }),
    removeTag: op.delete('/memories/{id}/tags/{tag}', { doc: 'Remove a tag.', needs: write, data: nothing }),
  },
);
