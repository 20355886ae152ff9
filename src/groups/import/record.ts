// Imports and what was read of them, as they are kept until they are committed or discarded.
import type { CarriedMemory, ParsedLink } from '../../imports/shapes.ts';
import { type KeptDoc, record, type Stored } from '../../ports/record.ts';
import type { ImportConversationDto, ImportDto, ImportItemDto, ImportMessageDto, ImportSkippedDto } from './dto.ts';

/** What is under way, or waits for a process that does it. */
export type ImportJob = 'parse' | 'commit' | 'undo' | 'remove';

/** Counts as they stand before the file that is being read. */
export interface ReadCounts {
  /** Files of the archive that are read. */
  entries: number;
  conversations: number;
  messages: number;
  items: number;
}

export interface CommitChoice {
  identityId: number;
  projectId: number | null;
  importance: number;
  /** Null: as the document says of each. */
  isShared: boolean | null;
  tags: string[];
  memoryPerConversation: boolean;
  /** Null where nothing is restored: all becomes memories and facts. */
  restore: RestoreChoice | null;
}

/** What a commit that restores has settled before it began. */
export interface RestoreChoice {
  /** The identity is made anew, with the id of the choice. */
  makesIdentity: boolean;
  /** The user behind it. */
  identityUserId: number;
  /** Projects of the document by their keys: those that are there, and those that are made, with their ids. */
  projects: { key: string; projectId: number; isNew: boolean }[];
  /** The person who restores. */
  userId: number;
  ownIdentityId: number | null;
}

export interface ImportDoc extends Omit<Stored<ImportDto>, 'restoredCount'> {
  /** Absent where nothing was restored. */
  restoredCount?: number;
  createdAt: Date;
  /** Whose it is, by `ownerOf`: a person's, or else an agent's. */
  owner: string;
  ownerUserId: number | null;
  ownerIdentityId: number | null;
  /** Digest of the archive with its owner; of one that has failed something else, so that it may come again. */
  archiveKey: string;
  /** Name of the archive in the folder of imports; null once it is read. */
  archive: string | null;
  withScrub: boolean;
  withFacts: boolean;
  skipped: ImportSkippedDto[];
  detected: { name: string; count: number }[];
  read: ReadCounts;
  /** The conversation that was scrubbed or committed last. */
  doneTo: number;
  commit: CommitChoice | null;
  /** Number of the requests that decided what is included. */
  decisions: number;
  /** Number of the commits that were begun: each writes facts of its own, also those that an undo took back. */
  commits: number;
  /** Requests that began a commit or an undo: one that is repeated finds itself. */
  marks: string[];
  job: ImportJob | null;
  /** When another process may go on with the job; null without one. */
  due: Date | null;
  /** Of the process that does the job. */
  holder: string | null;
  attempts: number;
}

export const importRecord = record<ImportDoc>('imports', {
  noun: 'import',
  list: 'GET /api/import',
  order: '-createdAtUtc',
  inProject: true,
  lacks: ['updatedAt'],
  indexes: [
    { keys: { tenantId: 1, owner: 1, createdAt: -1 } },
    // Whether a project is named by anything.
    { keys: { tenantId: 1, projectId: 1 } },
    { keys: { due: 1 } },
    { keys: { tenantId: 1, archiveKey: 1 }, unique: true },
  ],
});

interface OfImport extends KeptDoc {
  importId: number;
  /** Number of the archive's file that it was read from. */
  entry: number;
}

export interface ConversationDoc extends OfImport, Omit<Stored<ImportConversationDto>, 'tenantId'> {
  _id: number;
  /** What a person wrote in its place; null where nobody did. */
  content: string | null;
  importance: number | null;
  /** The provider that it was held with, as people say it. */
  source: string;
  /** Digest of the memory that it becomes. */
  digest: string;
  /** JSON of what our own format says of the chat; absent for conversations of others. */
  session?: string;
  /** The chat that it was restored as. */
  madeId?: number | null;
}

export const conversationRecord = record<ConversationDoc>('import_conversations', {
  noun: 'conversation of the import',
  list: 'GET /api/import/{id}/review',
  order: 'id',
  search: ['title', 'summary'],
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, importId: 1, _id: 1 } },
    { keys: { tenantId: 1, importId: 1, approved: 1, _id: 1 } },
    { keys: { tenantId: 1, importId: 1, entry: 1 } },
  ],
});

export interface MessagesDoc extends OfImport {
  _id: number;
  conversationId: number;
  messages: (Omit<ImportMessageDto, 'sentAtUtc'> & {
    sentAt: Date | null;
    /** JSON of what our own format says of it. */
    said?: string;
  })[];
}

/** Messages of a conversation, some in each document. */
export const messagesRecord = record<MessagesDoc>('import_messages', {
  noun: 'message of the import',
  list: 'GET /api/import/{id}/conversations/{conversationId}',
  order: 'id',
  lacks: ['guid', 'updatedAt'],
  indexes: [{ keys: { tenantId: 1, conversationId: 1, _id: 1 } }, { keys: { tenantId: 1, importId: 1, entry: 1 } }],
});

export interface ItemDoc extends OfImport, Omit<Stored<ImportItemDto>, 'tenantId' | 'restoresAs' | 'restoreOnly'> {
  _id: number;
  isCritical?: boolean;
  /** Its id in the document, by which links name it. */
  ref?: string;
  carried?: CarriedMemory;
  /** The memory that it became, or that was there already. */
  memoryId?: number | null;
  /** What it is restored as, and JSON of what our own format says of it. */
  wholeKind?: string;
  whole?: string;
  /** No memory or fact: it comes back only where it is restored. */
  restoreOnly?: boolean;
  /** What it was restored as. */
  madeId?: number | null;
}

/** A link between two memories of the document. */
export interface ImportLinkDoc extends OfImport, Omit<ParsedLink, 'kind'> {
  _id: number;
}

export const importLinkRecord = record<ImportLinkDoc>('import_links', {
  noun: 'link of the import',
  list: 'GET /api/import/{id}/review',
  order: 'id',
  lacks: ['guid', 'updatedAt'],
  indexes: [{ keys: { tenantId: 1, importId: 1, _id: 1 } }, { keys: { tenantId: 1, importId: 1, entry: 1 } }],
});

export const itemRecord = record<ItemDoc>('import_items', {
  noun: 'item of the import',
  list: 'GET /api/import/{id}/review',
  order: 'id',
  search: ['key', 'title', 'content'],
  lacks: ['guid', 'updatedAt'],
  indexes: [
    { keys: { tenantId: 1, importId: 1, _id: 1 } },
    { keys: { tenantId: 1, importId: 1, approved: 1, kind: 1, _id: 1 } },
    { keys: { tenantId: 1, importId: 1, ref: 1 } },
    { keys: { tenantId: 1, importId: 1, wholeKind: 1, _id: 1 } },
    { keys: { tenantId: 1, importId: 1, entry: 1 } },
  ],
});
