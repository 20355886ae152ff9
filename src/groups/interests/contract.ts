// Interests: topics that an identity cares about, as it says itself and as its memories show.
import { z } from 'zod';
import { InterestSource } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, float, int32 } from '../../contract/types.ts';
import { InterestDto, InterestInput } from './dto.ts';

const path = '/api/identities/{identityId}/interests';

export const interests = group(
  'Interest',
  { base: path, doc: 'What an identity cares about; its runs are told of it.' },
  {
    list: op.get('', {
      doc: 'Interests of an identity, the strongest first. What is inferred from its memories is shown to those who may act as it.',
      needs: 'IdentitiesRead',
      query: fields({
        source: InterestSource.optional(),
        minWeight: float.min(0).max(1).optional(),
        limit: int32.min(1).max(200).default(50),
      }),
      data: z.array(InterestDto),
    }),
    replace: op.put('', {
      doc: 'Replace the declared interests; inferred ones go, too, where keepInferred is false.',
      needs: 'IdentitiesWrite',
      body: fields({ interests: z.array(InterestInput).max(200), keepInferred: boolean.nullish() }),
      data: z.array(InterestDto),
    }),
  },
);
