// Serves the help, and keeps what people say of it.

import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import type { createAnswers } from './answers.ts';
import { help } from './contract.ts';
import { HelpVoteDto } from './dto.ts';
import { type Library, type Topic, toTopicDto } from './library.ts';
import type { VoteDoc } from './record.ts';
import type { HelpSearch } from './search.ts';

/** The help as it was read from the documents. */
export interface OpenHelp {
  library: Library;
  /** Indexed when it is first asked for: lists do without. */
  search(): Promise<HelpSearch>;
  answers: ReturnType<typeof createAnswers>;
}

export interface HelpDeps {
  open(): Promise<OpenHelp>;
  votes: Keeper<VoteDoc>;
}

export const helpService = implement(help, ({ open, votes }: HelpDeps) => ({
  topics: async ({ query: { category } }) =>
    (await open()).library.topics
      .filter((topic) => category === undefined || topic.category === category)
      .map(toTopicDto),
  get: async ({ params }) => {
    const { library } = await open();
    return library.detail(topicOf(library, params.slug));
  },
  categories: async () => [...(await open()).library.categories],
  search: async ({ query: { q, limit } }) =>
    (await (await open()).search()).find(q, limit ?? 10).map(({ text: _, ...hit }) => hit),
  context: async ({ query }) => (await (await open()).search()).about(query).map(toTopicDto),
  feedback: async ({ caller, params, body }) => {
    const { slug } = topicOf((await open()).library, params.slug);
    await vote(votes, caller, { slug, helpful: body.helpful, comment: body.comment?.trim() || null });
    const count = (helpful: boolean) => votes.of(caller.tenantId).countDocuments({ slug, helpful });
    const [helpfulCount, notHelpfulCount] = await Promise.all([count(true), count(false)]);
    return { slug, helpful: body.helpful, helpfulCount, notHelpfulCount };
  },
  votes: async ({ caller, query }) => {
    const { items, totalCount } = await votes.page(caller, query);
    return toPage(
      items.map((doc) => shown(HelpVoteDto, doc)),
      totalCount,
      query,
    );
  },
  ask: async ({ caller, body }) => (await open()).answers(caller, body),
}));

function topicOf(library: Library, slug: string): Topic {
  const found = library.find(slug);
  if (found) return found;
  throw new Fault('NOT_FOUND', `There is no help topic "${slug}".`, {
    hint: 'List them with GET /api/help/topics, or search with GET /api/help/search.',
  });
}

/** One word of each: a later one replaces it. */
async function vote(
  votes: Keeper<VoteDoc>,
  caller: Caller,
  said: Pick<VoteDoc, 'slug' | 'helpful' | 'comment'>,
): Promise<void> {
  const voter = caller.userId === null ? `identity:${caller.identityId}` : `user:${caller.userId}`;
  const before = await votes.of(caller.tenantId).findOne({ slug: said.slug, voter });
  if (before) {
    await votes.change(caller, before._id, said);
    return;
  }
  try {
    await votes.insert(caller, { ...said, voter });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    await vote(votes, caller, said);
  }
}
