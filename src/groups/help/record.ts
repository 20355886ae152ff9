// What people said of topics of the help, one word of each.
import { record, type Stored } from '../../ports/record.ts';
import type { HelpVoteDto } from './dto.ts';

export interface VoteDoc extends Stored<HelpVoteDto> {
  /** Who said it: `user:7` or `identity:9`. */
  voter: string;
}

export const voteRecord = record<VoteDoc>('help_votes', {
  noun: 'feedback on a topic',
  list: 'GET /api/help/feedback',
  order: '-createdAtUtc',
  lacks: ['guid', 'updatedAt'],
  rollups: [{ per: { path: 'createdAt', ms: 86_400_000 }, by: ['tenantId', 'slug', 'helpful'], sums: [] }],
  indexes: [
    { keys: { tenantId: 1, slug: 1, voter: 1 }, unique: true },
    { keys: { tenantId: 1, createdAt: -1 } },
    { keys: { tenantId: 1, slug: 1, helpful: 1, createdAt: -1 } },
    { keys: { tenantId: 1, helpful: 1, createdAt: -1 } },
  ],
});
