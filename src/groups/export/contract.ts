// Exports: what an identity knows, or a whole tenant, taken along as files.
import { z } from 'zod';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int64 } from '../../contract/types.ts';
import { ExportManifest } from './dto.ts';

const includeArchived = boolean.optional();
const includeChats = boolean.optional();
/** What is downloaded. Large stores take their time; what is written has been sent before. */
const download = { data: z.unknown(), reply: 'file', timeoutMs: 600_000, audit: true } as const;

export const exports = group(
  'Export',
  { base: '/api/export', doc: 'What an identity or a tenant holds, as files to take along.' },
  {
    chatSession: op.get('/chatsession/{sessionId}/dti', {
      doc: 'Download the shown branch of a chat of mine as a conversation-history document of the Data Transfer Initiative (https://schemas.pub/schemas/24). Secrets in it, such as keys and passwords, are replaced by what they are; ours: includeSecrets=true leaves them in.',
      needs: 'self',
      byAnyKey: true,
      query: fields({ includeReasoning: boolean.optional(), includeSecrets: boolean.optional() }),
      ...download,
      mediaType: 'application/json',
    }),
    chatMarkdown: op.get('/chatsession/{sessionId}/markdown', {
      doc: 'Download a chat of mine as Markdown (ours): the shown branch, the one that ends at messageId, or with allBranches every message and the one that it follows. Tool calls are folded, attachments listed; secrets are replaced by what they are unless includeSecrets is true.',
      needs: 'self',
      byAnyKey: true,
      query: fields({
        messageId: int64.optional(),
        allBranches: boolean.optional(),
        includeReasoning: boolean.optional(),
        includeSecrets: boolean.optional(),
      }),
      ...download,
      mediaType: 'text/markdown',
    }),
    identity: op.get('/identity/{identityId}', {
      doc: 'Download what an identity holds as a ZIP; only the identity itself, its person and its steward may.',
      needs: 'ExportData',
      query: fields({ includeArchived, includeChats }),
      ...download,
      mediaType: 'application/zip',
    }),
    portable: op.get('/identity/{identityId}/portable', {
      doc: 'Download what an identity knows in the portable format, version 0.1 (`/schemas/portable-memory-0.1.json`). Ours: `format` asks for Portable AI Memory 1.0 (Pam) or for the Open Memory Protocol 0.1 (Omp, a ZIP of Markdown), and `includeChats` for the chats.',
      needs: 'ExportData',
      query: fields({ includeArchived, includeChats, format: z.enum(['Portable', 'Pam', 'Omp']).optional() }),
      ...download,
      mediaType: ['application/json', 'application/zip'],
    }),
    manifest: op.get('/manifest', {
      doc: 'Count what an export would contain: of one identity, or without identityId of the tenant. Ours: the switches of the export count too.',
      needs: 'ExportData',
      query: fields({ identityId: int64.optional(), includeArchived, includeChats }),
      data: ExportManifest,
      timeoutMs: 120_000,
    }),
    tenant: op.get('/tenant', {
      doc: 'Download every identity of the tenant with its projects as one ZIP; of identities that the caller may not act as, what they share.',
      needs: 'ExportData',
      query: fields({ includeArchived, includeChats }),
      ...download,
      mediaType: 'application/zip',
    }),
  },
);
