// Support requests and their bundles as they are kept.
import { defineCollection, type Entity } from '../../ports/db.ts';
import { record, type Stored } from '../../ports/record.ts';
import type { SupportRequestDto } from './dto.ts';

export interface SupportRequestDoc extends Stored<Omit<SupportRequestDto, 'reference' | 'diagnosticsPath'>> {
  description: string;
  runId: number | null;
  requestId: string | null;
  contactEmail: string | null;
  createdByUserId: number | null;
  createdByIdentityId: number | null;
}

export const supportRequestRecord = record<SupportRequestDoc>('support_requests', {
  noun: 'support request',
  list: 'POST /api/support/requests',
  order: '-id',
  lacks: ['updatedAt'],
  indexes: [{ keys: { tenantId: 1, createdAt: 1 } }, { keys: { createdAt: 1 } }],
});

/** A part of a bundle, as base64: its id is that of the request and its place. */
export interface BundlePartDoc extends Entity {
  _id: string;
  tenantId: number;
  supportRequestId: number;
  place: number;
  body: string;
  createdAt: Date;
}

export const bundleParts = defineCollection<BundlePartDoc>({
  name: 'support_bundle_parts',
  indexes: [{ keys: { tenantId: 1, supportRequestId: 1, place: 1 } }, { keys: { createdAt: 1 } }],
});
