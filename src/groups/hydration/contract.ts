// The context that a session of an identity starts with, and the receipts of those that did.
import { z } from 'zod';
import { HydrationFormat } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, fields, int32, int64, string } from '../../contract/types.ts';
import { HydrationDto, HydrationReceiptDto, HydrationReplayDto } from './dto.ts';

const needs = 'MemoriesRead';

export const presets = z.enum(['lean', 'interactive', 'all', 'agent-minimal', 'custom']);

export const hydration = group(
  'Hydration',
  { base: '/api/identities/{identityId}/hydration', doc: 'What a session of an identity starts with.' },
  {
    get: op.get('', {
      doc: 'Build what a session of the identity starts with, by its hydration config. query surfaces memories that bear on it; markSurfaced counts rules and surfaced memories as used. The receipt (ours) says which items are in it and why.',
      needs,
      query: fields({
        projectId: int64.optional(),
        query: string.max(8000).optional(),
        tokenBudget: int32.min(0).max(1_000_000).optional(),
        format: HydrationFormat.optional(),
        preset: presets.optional(),
        includeHandoff: boolean.optional(),
        markSurfaced: boolean.optional(),
      }),
      data: HydrationDto,
    }),
    receipts: op.get('/receipts', {
      doc: 'Receipts of what sessions of the identity started with, newest first (ours).',
      needs,
      query: listQuery(['createdAtUtc', 'id'], { runId: int64.optional(), chatSessionId: int64.optional() }),
      data: page(HydrationReceiptDto),
    }),
    receipt: op.get('/receipts/{id}', { doc: 'Get one receipt (ours).', needs, data: HydrationReceiptDto }),
    replay: op.post('/receipts/{id}/replay', {
      doc: 'Build the context of a receipt again from what is there now, without the items named (ours). Nothing is written.',
      needs,
      idempotent: false,
      audit: false,
      body: fields({
        without: z
          .array(fields({ kind: string.min(1).max(40), id: int64 }))
          .max(200)
          .nullish(),
      }),
      data: HydrationReplayDto,
    }),
  },
);
