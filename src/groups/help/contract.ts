// Operations on the help: its topics, search, answers, and what people say of it.
import { z } from 'zod';
import { group, op } from '../../contract/operation.ts';
import { listQuery, page } from '../../contract/page.ts';
import { boolean, fields, int32, string } from '../../contract/types.ts';
import {
  HelpAnswerDto,
  HelpCategoryDto,
  HelpFeedbackDto,
  HelpSearchHit,
  HelpTopicDetailDto,
  HelpTopicDto,
  HelpVoteDto,
} from './dto.ts';

/** The help is in English; other languages are answered in it. */
const language = string.max(35).optional();
const route = string.max(500);

export const help = group(
  'Help',
  { base: '/api/help', doc: 'The documents that come with the server, as topics: by page, by error code, by words.' },
  {
    topics: op.get('/topics', {
      doc: 'List the topics, in the order in which they are read.',
      needs: 'public',
      query: fields({ category: string.max(100).optional(), language }),
      data: z.array(HelpTopicDto),
    }),
    get: op.get('/topics/{slug}', {
      doc: 'One topic as Markdown and as HTML that is safe to show.',
      needs: 'public',
      query: fields({ language }),
      data: HelpTopicDetailDto,
    }),
    categories: op.get('/categories', {
      doc: 'List the categories with the number of their topics.',
      needs: 'public',
      data: z.array(HelpCategoryDto),
    }),
    search: op.get('/search', {
      doc: 'Find topics by words; the beginning of a word and a typing error are enough.',
      needs: 'public',
      query: fields({ q: string.min(1).max(200), limit: int32.min(1).max(50).optional() }),
      data: z.array(HelpSearchHit),
    }),
    context: op.get('/context', {
      doc: 'The topics on a page of the dashboard or an error code, the closest first.',
      needs: 'public',
      query: fields({ route: route.optional(), errorCode: string.max(100).optional() }),
      data: z.array(HelpTopicDto),
    }),
    feedback: op.post('/topics/{slug}/feedback', {
      doc: 'Say whether a topic helped; a later word of the same caller replaces it.',
      needs: 'self',
      byAnyKey: true,
      body: fields({ helpful: boolean, comment: string.max(2000).nullish() }),
      data: HelpFeedbackDto,
      // A repeat changes nothing.
      idempotent: false,
    }),
    votes: op.get('/feedback', {
      doc: 'List what people said of topics, newest first (ours).',
      needs: 'SystemRead',
      query: listQuery(['createdAtUtc', 'id'], {
        slug: string.max(100).optional(),
        helpful: z.stringbool().optional(),
      }),
      data: page(HelpVoteDto),
    }),
    ask: op.post('/ask', {
      doc: 'Answer a question from the topics, with citations. A model writes the answer, under the budgets of the caller; without one it is the best passages.',
      needs: 'self',
      byAnyKey: true,
      body: fields({ question: string.trim().min(1).max(2000), route: route.nullish() }),
      data: HelpAnswerDto,
      idempotent: false,
      audit: false,
      timeoutMs: 60_000,
    }),
  },
);
