// A new import from what was uploaded.
import type { Caller } from '../../contract/caller.ts';
import type { ImportSourceProvider } from '../../contract/enums.ts';
import type { UploadedFile } from '../../contract/multipart.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Draft } from '../../ports/record.ts';
import { noJob } from './jobs.ts';
import { ownerOf } from './keeping.ts';
import type { ImportDoc } from './record.ts';

interface Asked {
  sourceProviderId?: ImportSourceProvider | null | undefined;
  identityId?: number | null | undefined;
  projectId?: number | null | undefined;
  scrub?: boolean | null | undefined;
  extractFacts?: boolean | null | undefined;
}

interface Archive {
  fileName: string;
  sizeBytes: number;
  archive: string;
  archiveKey: string;
}

/** @throws Fault VALIDATION_FAILED */
export function requireFile(file: UploadedFile | undefined): UploadedFile {
  if (file) return file;
  throw new Fault('VALIDATION_FAILED', 'No file came with the form.', {
    hint: 'Send the archive as the file named "file" of a multipart/form-data body.',
  });
}

export const draftOf = (caller: Caller, asked: Asked, file: Archive): Draft<ImportDoc> => ({
  statusId: 'Parsing',
  sourceProviderId: asked.sourceProviderId ?? 'Unknown',
  fileName: file.fileName.replaceAll(/[^\P{C}]/gu, '').slice(0, 200) || 'archive',
  fileSizeBytes: file.sizeBytes,
  conversationCount: 0,
  messageCount: 0,
  itemCount: 0,
  scrubFlagCount: 0,
  detectedFormat: null,
  errorMessage: null,
  identityId: asked.identityId ?? null,
  projectId: asked.projectId ?? null,
  processedAt: null,
  committedAt: null,
  skippedCount: 0,
  progressPercent: 0,
  memoryCount: 0,
  factCount: 0,
  owner: ownerOf(caller),
  ownerUserId: caller.userId,
  ownerIdentityId: caller.userId === null ? caller.identityId : null,
  archiveKey: file.archiveKey,
  archive: file.archive,
  withScrub: asked.scrub ?? true,
  withFacts: asked.extractFacts ?? false,
  skipped: [],
  detected: [],
  read: { entries: 0, conversations: 0, messages: 0, items: 0 },
  doneTo: 0,
  commit: null,
  decisions: 0,
  commits: 0,
  marks: [],
  ...noJob,
});
