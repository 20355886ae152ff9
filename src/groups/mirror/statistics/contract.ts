// What is in a mirror, in numbers, and how an identity changed with its souls.
import { z } from 'zod';
import { CompulsionType } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { dateTime, fields } from '../../../contract/types.ts';
import { MirrorStatsDto, PersonaDriftDto } from '../dto.ts';

const span = { fromUtc: dateTime.optional(), toUtc: dateTime.optional() };

export const mirrorStatistics = group(
  'Mirror',
  { id: 'Mirror', base: '/api/identities/{identityId}/mirror', doc: 'Reflections and training in numbers.' },
  {
    stats: op.get('/stats', {
      doc: 'Count what was made in a span of time: reflections by kind, pairs by status, datasets, runs and checkpoints.',
      needs: 'MirrorRead',
      query: fields(span),
      data: MirrorStatsDto,
    }),
    drift: op.get('/drift', {
      doc: 'Ours: how often the identity resisted while it had each of its souls, the oldest first.',
      needs: 'MirrorRead',
      query: fields({ ...span, compulsionType: CompulsionType.optional() }),
      data: z.array(PersonaDriftDto),
    }),
  },
);
