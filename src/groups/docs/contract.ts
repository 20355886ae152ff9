// Documents of projects: Markdown in a tree, with versions, found by words and meaning.
import { z } from 'zod';
import { DocClassification, DocType } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, dateTime, fields, float, int32, int64, nothing, string } from '../../contract/types.ts';
import {
  DocDto,
  DocLinksDto,
  DocListDto,
  DocNavTreeDto,
  DocSearchHit,
  DocVersionDetailDto,
  DocVersionDto,
} from './dto.ts';

/** Bytes of a document's text. */
const longestContent = 10 << 20;
/** Bytes of a request: JSON may write a letter in six. */
const bodyBytes = 24 << 20;

const title = string.trim().min(1).max(300);
const content = string.refine((text) => new TextEncoder().encode(text).length <= longestContent, {
  error: `must be at most ${longestContent} bytes`,
});
const path = string.min(1).max(600);
const slug = string.min(1).max(100);
const place = int32.min(0);
const imageUrl = string.max(2000).regex(/^(https?:\/\/|\/(?!\/))/, 'must begin with https:// or /');
const shown = {
  excerpt: string.max(1000).nullish(),
  coverImageUrl: imageUrl.nullish(),
  icon: string.max(100).nullish(),
  tags: string.max(1000).nullish(),
};
const written = { version: int32.min(1).nullish(), changeSummary: string.max(500).nullish() };
const of = '/projects/{projectId}/docs';
const read = 'DocsRead';
const write = 'DocsWrite';
const publish = 'DocsPublish';

export const docs = group(
  'Docs',
  { base: '/api', doc: 'Documents of projects: Markdown in a tree, with versions, found by words and meaning.' },
  {
    list: op.get(of, {
      doc: "List a project's documents that the caller may see, in the order of the tree.",
      needs: read,
      query: listQuery(['title', 'path', 'createdAtUtc', 'updatedAtUtc', 'publishedAtUtc', 'id'], {
        q: string.max(200).optional(),
        type: DocType.optional(),
        classification: DocClassification.optional(),
        isPublished: boolean.optional(),
        parentDocId: int64.optional(),
        tag: string.max(100).optional(),
      }),
      data: page(DocListDto),
    }),
    create: op.post(of, {
      doc: 'Write a document, or make a group. Slug and path follow from the title unless given; a new one stands last.',
      needs: write,
      maxBodyBytes: bodyBytes,
      body: fields({
        title,
        content: content.nullish(),
        path: path.nullish(),
        type: DocType.nullish(),
        parentDocId: int64.nullish(),
        sortOrder: place.nullish(),
        isGroup: boolean.nullish(),
        isPinned: boolean.nullish(),
        classification: DocClassification.nullish(),
        includeInNav: boolean.nullish(),
        slug: slug.nullish(),
        ...shown,
      }),
      data: DocDto,
    }),
    tree: op.get(`${of}/tree`, {
      doc: 'The tree of documents that the caller may see, drafts included.',
      needs: read,
      query: fields({ type: DocType.optional() }),
      data: DocNavTreeDto,
    }),
    search: op.get(`${of}/search`, {
      doc: 'Search documents by words and meaning; the best passage of each is its snippet.',
      needs: read,
      query: fields({
        q: string.trim().min(1).max(2000),
        type: DocType.optional(),
        limit: int32.min(1).max(100).default(10),
        minScore: float.min(0).max(1).optional(),
      }),
      data: z.array(DocSearchHit),
    }),
    byPath: op.get(`${of}/by-path`, {
      doc: 'Get a document by its path or slug, or by one that it had.',
      needs: read,
      query: fields({ path }),
      data: DocDto,
    }),
    get: op.get('/docs/{id}', { doc: 'Get one document with its neighbours.', needs: read, data: DocDto }),
    links: op.get('/docs/{id}/links', {
      doc: 'The documents that a document links to, and those that link to it (ours).',
      needs: read,
      data: DocLinksDto,
    }),
    replace: op.put('/docs/{id}', {
      doc: 'Replace a document; another title or text makes a version. With version: only if it is still that one.',
      needs: write,
      maxBodyBytes: bodyBytes,
      body: fields({
        title,
        content,
        path,
        type: DocType,
        parentDocId: int64.nullish(),
        sortOrder: place,
        isGroup: boolean,
        isPinned: boolean,
        classification: DocClassification,
        includeInNav: boolean,
        slug: slug.nullish(),
        ...shown,
        ...written,
      }),
      data: DocDto,
    }),
    patch: op.patch('/docs/{id}', {
      doc: 'Change some fields; another title or text makes a version. With version: only if it is still that one.',
      needs: write,
      maxBodyBytes: bodyBytes,
      body: fields({
        title: title.optional(),
        content: content.optional(),
        path: path.optional(),
        type: DocType.optional(),
        parentDocId: int64.nullish(),
        isGroup: boolean.optional(),
        sortOrder: place.optional(),
        isPinned: boolean.optional(),
        classification: DocClassification.optional(),
        includeInNav: boolean.optional(),
        slug: slug.optional(),
        ...shown,
        ...written,
      }),
      data: DocDto,
    }),
    remove: op.delete('/docs/{id}', {
      doc: 'Delete a document with its versions; what stands below it goes too, with cascade.',
      needs: write,
      query: fields({ cascade: boolean.optional() }),
      data: nothing,
    }),
    move: op.post('/docs/{id}/move', {
      doc: 'Move a document with all below it: under another parent (null for the top), to a place, or to another project.',
      needs: write,
      body: fields({
        parentDocId: int64.nullish(),
        sortOrder: place.nullish(),
        path: path.nullish(),
        projectId: int64.nullish(),
      }),
      data: DocDto,
    }),
    publish: op.post('/docs/{id}/publish', {
      doc: 'Publish a document whose classification is Public; with a time to come, it appears then.',
      needs: publish,
      body: fields({
        slug: slug.nullish(),
        publishedAtUtc: dateTime.nullish(),
        includeInNav: boolean.nullish(),
      }),
      data: DocDto,
    }),
    unpublish: op.post('/docs/{id}/unpublish', {
      doc: 'Make a published document a draft again.',
      needs: publish,
      data: DocDto,
    }),
    versions: op.get('/docs/{id}/versions', {
      doc: "List a document's versions, newest first.",
      needs: read,
      query: listQuery(['version', 'createdAtUtc', 'id'], {}),
      data: page(DocVersionDto),
    }),
    version: op.get('/docs/{id}/versions/{version}', {
      doc: 'One version with its text, and how it differs from another one, the one before unless said.',
      needs: read,
      query: fields({ compareTo: int32.min(1).optional() }),
      data: DocVersionDetailDto,
    }),
    restore: op.post('/docs/{id}/versions/{version}/restore', {
      doc: 'Make the title and text of an old version current, as a new version.',
      needs: write,
      body: fields({ changeSummary: string.max(500).nullish() }),
      data: DocDto,
    }),
  },
);
