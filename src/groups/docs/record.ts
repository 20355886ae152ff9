// Documents, their versions and their passages as they are kept.
import type { DocClassification, DocType } from '../../contract/enums.ts';
import type { Findable, Kind } from '../../memory/kinds.ts';
import { type Draft, type KeptDoc, record } from '../../ports/record.ts';

/** A document without its text, which stands with its versions: lists and trees read none. */
export interface DocDoc extends KeptDoc {
  guid: string;
  projectId: number;
  parentDocId: number | null;
  /** Its place among those beside it. */
  orderKey: string;
  title: string;
  path: string;
  pathKey: string;
  slug: string;
  /** Every name that leads to it: path and slug, and those that it had, in lower case. */
  names: string[];
  /** The names that it links to, as `targetsOf` reads them. */
  linkTargets: string[];
  type: DocType;
  classification: DocClassification;
  isPinned: boolean;
  isGroup: boolean;
  includeInNav: boolean;
  isPublished: boolean;
  publishedAt: Date | null;
  version: number;
  excerpt: string | null;
  /** False where the excerpt is the text's beginning, which follows the text. */
  isExcerptOwn: boolean;
  coverImageUrl: string | null;
  icon: string | null;
  tags: string | null;
  tagList: string[];
  authorName: string | null;
  authorUserId: number | null;
  /** When something changed that its project's site shows. */
  siteChangedAt: Date | null;
  /** When its time on the site comes, until a build was asked for then. */
  siteDueAt: Date | null;
  /** Its passages are those of an earlier version, or in other scopes: the intent of each write. */
  passagesPending: boolean;
  updatedAt: Date;
  deletedAt?: Date | null;
  /** The run or chat call that made it: a call that is made again goes on with it. */
  onceKey?: string;
}

export const docRecord = record<DocDoc>('docs', {
  noun: 'document',
  list: 'GET /api/projects/{projectId}/docs',
  order: 'path',
  search: ['title'],
  softDelete: true,
  inProject: true,
  indexes: [
    { keys: { tenantId: 1, projectId: 1, pathKey: 1 }, unique: true },
    { keys: { tenantId: 1, projectId: 1, slug: 1 }, unique: true },
    { keys: { tenantId: 1, projectId: 1, parentDocId: 1, orderKey: 1 }, unique: true },
    { keys: { tenantId: 1, parentDocId: 1 } },
    { keys: { tenantId: 1, onceKey: 1 }, name: 'once', partialFilterExpression: { onceKey: { $gt: '' } } },
    { keys: { tenantId: 1, projectId: 1, names: 1 } },
    { keys: { tenantId: 1, projectId: 1, linkTargets: 1 } },
    { keys: { tenantId: 1, projectId: 1, isPublished: 1, publishedAt: -1 } },
    { keys: { tenantId: 1, projectId: 1, siteChangedAt: 1 } },
    {
      keys: { siteDueAt: 1, _id: 1 },
      name: 'due',
      partialFilterExpression: { siteDueAt: { $gt: new Date(0) } },
    },
    { keys: { passagesPending: 1, _id: 1 }, name: 'pending', partialFilterExpression: { passagesPending: true } },
  ],
});

/** What a save changes of the document, kept with the version so that anybody can complete it. */
export type Saved = Partial<Draft<DocDoc>>;

export interface VersionDoc extends KeptDoc {
  projectId: number;
  docId: number;
  version: number;
  title: string;
  content: string;
  contentLength: number;
  changeSummary: string | null;
  authorName: string | null;
  /** The run or chat call that wrote it: a call that is made again finds it. */
  onceKey: string | null;
  sourceRunId: number | null;
  saved: Saved;
  /** The document does not show it yet: completed by whoever comes next. */
  isOpen: boolean;
}

export const versionRecord = record<VersionDoc>('doc_versions', {
  noun: 'version of a document',
  inProject: true,
  list: 'GET /api/docs/{id}/versions',
  order: '-version',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, docId: 1, version: -1 }, unique: true },
    { keys: { tenantId: 1, docId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, docId: 1, _id: 1 } },
    { keys: { tenantId: 1, projectId: 1 } },
    {
      keys: { tenantId: 1, onceKey: 1 },
      name: 'once',
      partialFilterExpression: { onceKey: { $gt: '' } },
    },
    {
      keys: { tenantId: 1, sourceRunId: 1 },
      name: 'by run',
      partialFilterExpression: { sourceRunId: { $gt: 0 } },
    },
    { keys: { isOpen: 1, createdAt: 1 }, name: 'open', partialFilterExpression: { isOpen: true } },
  ],
});

/** A piece of a document that is found by words and by meaning. */
export interface PassageDoc extends KeptDoc, Findable {
  _id: number;
  tenantId: number;
  projectId: number;
  docId: number;
  /** Counts the passages of a document from 0. */
  ordinal: number;
  classification: DocClassification;
  title: string;
  heading: string;
  text: string;
}

export const passageRecord = record<PassageDoc>('doc_passages', {
  noun: 'passage',
  inProject: true,
  list: 'GET /api/projects/{projectId}/docs/search',
  order: 'id',
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, docId: 1, ordinal: 1 }, unique: true },
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { pending: 1, _id: 1 }, name: 'pending', partialFilterExpression: { pending: true } },
  ],
});

/** Each classification of a project is a set of its own: what somebody may not see changes no rank either. */
export const passageScope = (projectId: number, classification: DocClassification) =>
  `project:${projectId}:${classification}`;

export const passageKind: Kind<PassageDoc> = {
  name: 'doc-passages',
  textOf: ({ title, heading, text }) => `${heading && heading !== title ? `${title}, ${heading}` : title}: ${text}`,
  scopesOf: ({ projectId, classification }) => [passageScope(projectId, classification)],
};
