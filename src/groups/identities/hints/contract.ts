// Hints: what an identity wants to be reminded of, once or again and again.
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, dateTime, fields, int32, int64, string } from '../../../contract/types.ts';
import { IdentityHintDto } from './dto.ts';

const content = string.trim().min(1).max(4000);
const priority = int32.min(0).max(100);
const sorts = ['triggerAtUtc', 'priority', 'createdAtUtc', 'id'] as const;
const about = {
  category: string.trim().min(1).max(100).nullish(),
  recurrencePattern: string.trim().min(1).max(500).nullish(),
  triggerAtUtc: dateTime.nullish(),
  sourceMemoryId: int64.nullish(),
};

export const identityHints = group(
  'Identities',
  {
    id: 'IdentityHints',
    base: '/api/identities/{identityId}/hints',
    doc: 'What an identity wants to be reminded of; its runs and chats are told of what is due.',
  },
  {
    list: op.get('', {
      doc: 'List the hints of an identity; those that are dismissed or completed only where asked for.',
      needs: 'MemoriesRead',
      query: listQuery(sorts, {
        category: string.max(100).optional(),
        includeDismissed: boolean.optional(),
        includeCompleted: boolean.optional(),
      }),
      data: page(IdentityHintDto),
    }),
    create: op.post('', {
      doc: 'Leave a hint. A recurring one has an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO, in UTC from triggerAtUtc on; without a time a hint is due at once.',
      needs: 'MemoriesWrite',
      body: fields({ content, ...about, priority: priority.nullish(), isRecurring: boolean.nullish() }),
      data: IdentityHintDto,
    }),
    due: op.get('/due', {
      doc: 'Hints that are due now, or within some minutes, the most important first.',
      needs: 'MemoriesRead',
      query: listQuery(sorts, { asOfUtc: dateTime.optional(), withinMinutes: int32.min(0).max(525_600).optional() }),
      data: page(IdentityHintDto),
    }),
    replace: op.put('/{hintId}', {
      doc: 'Replace a hint; it is open again.',
      needs: 'MemoriesWrite',
      body: fields({ content, ...about, priority, isRecurring: boolean }),
      data: IdentityHintDto,
    }),
    complete: op.post('/{hintId}/complete', {
      doc: 'Say that it was seen to: a recurring hint goes on to its next time, any other one is completed.',
      needs: 'MemoriesWrite',
      body: fields({ note: string.max(4000).nullish() }),
      data: IdentityHintDto,
    }),
    dismiss: op.post('/{hintId}/dismiss', {
      doc: 'Drop a hint for good, or until snoozeUntilUtc.',
      needs: 'MemoriesWrite',
      body: fields({ reason: string.max(4000).nullish(), snoozeUntilUtc: dateTime.nullish() }),
      data: IdentityHintDto,
    }),
  },
);
