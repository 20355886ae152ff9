// Help as it is answered.
import { z } from 'zod';
import { boolean, dateTime, dto, float, int32, int64, string } from '../../contract/types.ts';

const topic = {
  slug: string,
  title: string,
  category: string,
  summary: string,
  icon: string.nullable(),
  /** Paths of the dashboard that it is about, with `:id` for ids. */
  routes: z.array(string),
  errorCodes: z.array(string),
  sortOrder: int32,
  updatedAtUtc: dateTime,
};
export const HelpTopicDto = dto('HelpTopicDto', topic);
export type HelpTopicDto = z.output<typeof HelpTopicDto>;

export const HelpTopicDetailDto = dto('HelpTopicDetailDto', {
  ...topic,
  contentMarkdown: string,
  contentHtml: string,
  related: z.array(HelpTopicDto),
  prevSlug: string.nullable(),
  nextSlug: string.nullable(),
});
export type HelpTopicDetailDto = z.output<typeof HelpTopicDetailDto>;

export const HelpCategoryDto = dto('HelpCategoryDto', {
  key: string,
  title: string,
  description: string.nullable(),
  topicCount: int32,
  sortOrder: int32,
});
export type HelpCategoryDto = z.output<typeof HelpCategoryDto>;

export const HelpSearchHit = dto('HelpSearchHit', {
  slug: string,
  title: string,
  category: string,
  snippet: string,
  /** Without a limit; the better one is higher. */
  score: float,
});
export type HelpSearchHit = z.output<typeof HelpSearchHit>;

export const HelpFeedbackDto = dto('HelpFeedbackDto', {
  slug: string,
  helpful: boolean,
  helpfulCount: int32,
  notHelpfulCount: int32,
});

export const HelpAnswerDto = dto('HelpAnswerDto', {
  question: string,
  answer: string,
  citations: z.array(HelpSearchHit),
  /** False when no model answered: the answer is then the best passages. */
  generated: boolean,
  modelId: string.nullable(),
});
export type HelpAnswerDto = z.output<typeof HelpAnswerDto>;

/** What people said of topics; ours. */
export const HelpVoteDto = dto('HelpVoteDto', {
  id: int64,
  slug: string,
  helpful: boolean,
  comment: string.nullable(),
  createdAtUtc: dateTime,
});
export type HelpVoteDto = z.output<typeof HelpVoteDto>;
