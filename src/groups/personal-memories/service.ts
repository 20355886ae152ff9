// Serves a person's own memories and suggestions; nobody else's are there for the caller.
import type { Caller } from '../../contract/caller.ts';
import { type Handlers, implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import { endsAt } from '../../memory/expiry.ts';
import { reworded } from '../../memory/kinds.ts';
import type { Filter } from '../../ports/db.ts';
import { defined, given } from '../fields.ts';
import type { PersonalBook, PersonalDeps } from './book.ts';
import { personalMemories as group } from './contract.ts';
import { type PersonalMemoryDoc, personScope, type SuggestionDoc } from './record.ts';
import { toPersonalMemoryDto as show } from './show.ts';
import { toSuggestionDto } from './suggestions.ts';

interface Deps extends PersonalDeps {
  book: PersonalBook;
}

type All = Handlers<typeof group>;

export const personalMemoriesService = implement(group, (deps: Deps) => ({
  ...memoryHandlers(deps),
  ...manyHandlers(deps),
  ...suggestionHandlers(deps),
}));

/** @throws Fault FORBIDDEN for a key that no person stands behind */
function personOf({ userId }: Caller): number {
  if (userId !== null) return userId;
  throw new Fault('FORBIDDEN', 'Only a person has personal memories.', { hint: 'Sign in as the person.' });
}

const ownOf = (caller: Caller) => ({ userId: personOf(caller) });
const timeOf = (at: string | null | undefined) => (at == null ? null : new Date(at));

type One = 'list' | 'create' | 'get' | 'patch' | 'remove' | 'share';

function memoryHandlers(deps: Deps): Pick<All, One> {
  const { memories, book } = deps;
  const change = async (caller: Caller, id: number, fields: (old: PersonalMemoryDoc) => Partial<PersonalMemoryDoc>) => {
    const within = ownOf(caller);
    const changed = await memories.change(caller, id, fields, { expecting: ['revision'], within });
    if (changed.pending) await book.finder.index(changed);
    return show(changed);
  };
  return {
    list: async ({ caller, query }) => {
      const within = ownOf(caller) as Filter<PersonalMemoryDoc>;
      const filters = { tag: (tags: string) => ({ tags }) };
      const { items, totalCount } = await memories.page(caller, query, { within, filters });
      return toPage(items.map(show), totalCount, query);
    },
    create: async ({ caller, body: { expiresAtUtc, ...body } }) => {
      const userId = personOf(caller);
      await requireOwn(deps, caller, body.identityIds ?? []);
      const fields = { ...given(body), content: body.content, userId, expiresAt: timeOf(expiresAtUtc) };
      return show(await book.remember(caller, fields as PersonalMemoryDoc));
    },
    get: async ({ caller, params }) => show(await memories.get(caller, params.id, ownOf(caller))),
    patch: ({ caller, params, body: { expiresAtUtc, ...body } }) =>
      change(caller, params.id, (old) => ({
        ...(defined(body) as Partial<PersonalMemoryDoc>),
        ...(expiresAtUtc === undefined
          ? {}
          : { expiresAt: timeOf(expiresAtUtc), endsAt: endsAt(timeOf(expiresAtUtc)) }),
        ...(body.content === undefined && body.title === undefined ? {} : reworded(old)),
      })),
    remove: async ({ caller, params }) => {
      const { _id } = await memories.get(caller, params.id, ownOf(caller));
      await book.forget(caller, [_id]);
      return null;
    },
    share: async ({ caller, params, body }) => {
      const identityIds = body.visibility === 'SelectedIdentities' ? (body.identityIds ?? []) : [];
      await requireOwn(deps, caller, identityIds);
      return change(caller, params.id, () => ({ visibility: body.visibility, identityIds }));
    },
  };
}

/** @throws Fault NOT_FOUND for an identity that is not the person's own or under its stewardship */
async function requireOwn({ identities }: Deps, caller: Caller, ids: readonly number[]): Promise<void> {
  const userId = personOf(caller);
  const found = await identities(caller.tenantId)
    .find({ _id: { $in: [...ids] }, deletedAt: null })
    .toArray();
  const own = new Set(
    found.filter((one) => one.userId === userId || one.stewardUserId === userId).map((one) => one._id),
  );
  const other = ids.find((id) => !own.has(id));
  if (other !== undefined)
    throw new Fault('NOT_FOUND', `You have no identity ${other}.`, { hint: 'Name identities of your own.' });
}

function manyHandlers({ memories, book }: Deps): Pick<All, 'search' | 'forget'> {
  return {
    search: async ({ caller, query: { q, limit, minScore, category } }) => {
      const userId = personOf(caller);
      const wanted = { userId, ...(category && { category }) };
      const found = await book.finder.search({
        tenantId: caller.tenantId,
        scopes: [personScope(userId)],
        question: q,
        limit,
        minScore,
        load: (ids) =>
          memories
            .of(caller.tenantId)
            .find({ _id: { $in: [...ids] }, ...wanted, ...book.open() })
            .toArray(),
      });
      return found.map(({ doc, nearness: _, ...match }) => ({ memory: show(doc), ...match }));
    },
    forget: async ({ caller, body }) => {
      const { category, tag, sourceIdentityId, beforeUtc, all } = body;
      const wanted = {
        ...(category && { category }),
        ...(tag && { tags: tag }),
        ...(sourceIdentityId != null && { sourceIdentityId }),
        ...(beforeUtc && { createdAt: { $lt: new Date(beforeUtc) } }),
      };
      if (!body.confirm)
        throw new Fault('VALIDATION_FAILED', 'Nothing was forgotten: confirm is false.', {
          hint: 'Send confirm: true; what is forgotten cannot be brought back.',
        });
      if (Object.keys(wanted).length === 0 && !all)
        throw new Fault('VALIDATION_FAILED', 'It is not said what to forget.', {
          hint: 'Give category, tag, sourceIdentityId or beforeUtc, or all: true for everything.',
        });
      const found = await memories
        .of(caller.tenantId)
        .find({ ...ownOf(caller), ...wanted } as Filter<PersonalMemoryDoc>)
        .toArray();
      const forgottenIds = found.map(({ _id }) => _id);
      await book.forget(caller, forgottenIds);
      return { forgotten: forgottenIds.length, forgottenIds };
    },
  };
}

function suggestionHandlers({ suggestions, identities, book, clock }: Deps): Pick<All, 'suggestions' | 'decide'> {
  const showOne = async (doc: SuggestionDoc) => {
    const { tenantId, sourceIdentityId } = doc;
    const identity = sourceIdentityId === null ? null : await identities(tenantId).findOne({ _id: sourceIdentityId });
    return toSuggestionDto(doc, identity?.displayName ?? null);
  };
  return {
    suggestions: async ({ caller, query }) => {
      const within = ownOf(caller) as Filter<SuggestionDoc>;
      const { items, totalCount } = await suggestions.page(caller, query, { within });
      return toPage(await Promise.all(items.map(showOne)), totalCount, query);
    },
    decide: async ({ caller, params, body }) => {
      const within = ownOf(caller) as Filter<SuggestionDoc>;
      const decide = (old: SuggestionDoc): Partial<SuggestionDoc> => {
        if (old.status !== 'Pending')
          throw new Fault('INVALID_TRANSITION', `This suggestion is ${old.status} already.`, {
            hint: 'Pending ones are at GET /api/personal-memories/suggestions?status=Pending.',
          });
        const words = body.accept
          ? { content: body.content ?? old.content, category: body.category ?? old.category }
          : {};
        return { ...words, status: body.accept ? 'Accepted' : 'Rejected', decidedAt: new Date(clock.now()) };
      };
      const decided = await suggestions.change(caller, params.id, decide, { expecting: ['status'], within });
      if (!body.accept) return showOne(decided);
      const { userId, content, category, sourceIdentityId, sourceChatSessionId } = decided;
      const memory = await book.remember(caller, {
        userId,
        content,
        category,
        sourceIdentityId,
        sourceChatSessionId,
        visibility: body.visibility ?? 'AllMyIdentities',
      });
      return showOne(await suggestions.change(caller, params.id, { memoryId: memory._id }, { within }));
    },
  };
}
