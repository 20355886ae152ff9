// Import: archives of other providers, reviewed by a person before anything of them is remembered.
import { z } from 'zod';
import { ImportSourceProvider, ImportStatus } from '../../contract/enums.ts';
import { multipart } from '../../contract/multipart.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, fields, int32, int64, nothing, string } from '../../contract/types.ts';
import { ImportConversationDetailDto, ImportDto, ImportReviewDto } from './dto.ts';

const needs = 'ImportData';
const importance = int32.min(0).max(100);

export const ImportDecisionInput = fields({
  id: int64,
  approved: boolean,
  title: string.trim().min(1).max(300).nullish(),
  content: string.trim().min(1).max(60_000).nullish(),
  importance: importance.nullish(),
}).meta({ id: 'ImportDecisionInput' });
const decisions = z.array(ImportDecisionInput).max(5000).nullish();

export const imports = group(
  'Import',
  {
    base: '/api/import',
    doc: "Archives of other providers: read in the background, reviewed by a person, then remembered. Each is its uploader's alone.",
  },
  {
    list: op.get('', {
      doc: 'List your imports, newest first.',
      needs,
      query: listQuery(['createdAtUtc', 'id', 'fileName', 'fileSizeBytes'], {
        statusId: ImportStatus.optional(),
        sourceProviderId: ImportSourceProvider.optional(),
        identityId: int64.optional(),
      }),
      data: page(ImportDto),
    }),
    upload: op.post('/upload', {
      doc: 'Upload an archive (a ZIP of up to 600 MB, or one file of it) and have it read in the background; follow the topic import:{id}. What format it has is found by what is in it.',
      needs,
      body: multipart({
        fields: fields({
          sourceProviderId: ImportSourceProvider.nullish(),
          identityId: int64.nullish(),
          projectId: int64.nullish(),
          scrub: boolean.nullish(),
          extractFacts: boolean.nullish(),
        }),
        files: ['file'],
        maxFileBytes: 629_145_600,
      }),
      data: ImportDto,
      timeoutMs: 120_000,
    }),
    get: op.get('/{id}', { doc: 'How far an import is.', needs, data: ImportDto }),
    remove: op.delete('/{id}', { doc: 'Discard an import that is not committed.', needs, data: nothing }),
    review: op.get('/{id}/review', {
      doc: 'What was read, for decisions. Ours: what a commit would reach, what was skipped and why; limit and after show a part of many.',
      needs,
      query: fields({
        q: string.max(200).optional(),
        approved: boolean.optional(),
        scrubFlaggedOnly: boolean.optional(),
        limit: int32.min(1).max(5000).optional(),
        after: int64.optional(),
      }),
      data: ImportReviewDto,
    }),
    decide: op.patch('/{id}/review', {
      doc: 'Include or leave out; a title, text or importance that is given takes the place of what was read. Answers the entries that were decided by their ids, all of them after approveAll or rejectAll, with counts and reach of the whole.',
      needs,
      body: fields({
        conversations: decisions,
        items: decisions,
        approveAll: boolean.nullish(),
        rejectAll: boolean.nullish(),
      }),
      data: ImportReviewDto,
      maxBodyBytes: 16_777_216,
    }),
    conversation: op.get('/{id}/conversations/{conversationId}', {
      doc: 'One conversation in full.',
      needs,
      data: ImportConversationDetailDto,
    }),
    commit: op.post('/{id}/commit', {
      doc: 'Remember what is approved, once, as reported. A conversation is one memory, or with memoryPerConversation=false as many as it takes to keep all of it. With restore=true (ours) an export of ours comes back as it was: rules as rules, chats as chats, with their origin; into a new identity where none is named, or identityId is null. Answers Committing where it takes longer than the request.',
      needs,
      body: fields({
        identityId: int64.nullish(),
        projectId: int64.nullish(),
        importance: importance.nullish(),
        isShared: boolean.nullish(),
        tags: z.array(string.trim().min(1).max(100)).max(50).nullish(),
        memoryPerConversation: boolean.nullish(),
        /** Ours: an export of ours comes back as it was, with all kinds of things that are in it. */
        restore: boolean.nullish(),
      }),
      data: ImportDto,
    }),
    undo: op.post('/{id}/undo', {
      doc: 'Ours: take back all that a commit wrote, memories, facts and what the indexes have of them. The import is ready for review again.',
      needs,
      body: fields({}),
      data: ImportDto,
    }),
  },
);
