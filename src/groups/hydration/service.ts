// Serves the context that sessions start with, and its receipts; the thinking is in src/memory/hydration.
import type { Acting } from '../../auth/acting.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import { ownIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import type { HydrationSource } from '../../contract/enums.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { keyOf } from '../../memory/hydration/compose.ts';
import { perTenant } from '../../ports/tenanted.ts';
import type { RuleBook } from '../standing-rules/book.ts';
import type { HydrationBook, Made } from './book.ts';
import { hydration } from './contract.ts';
import type { createShowHydration } from './show.ts';
import { toItemDto, toReceiptDto } from './show.ts';

interface Deps {
  auth: AuthCollections;
  acting: Acting;
  book: HydrationBook;
  rules: Pick<RuleBook, 'surfaced'>;
  show: ReturnType<typeof createShowHydration>;
  clock: Clock;
}

export const hydrationService = implement(hydration, ({ auth, acting, book, rules, show, clock }: Deps) => {
  const people = { identities: perTenant(auth.identities), acting };
  /** What an identity is told is as private as its memories. @throws Fault NOT_FOUND, OWNERSHIP_REQUIRED */
  const owned = (caller: Caller, id: number) => ownIdentity(people, caller, id);
  const receiptOf = async (caller: Caller, { identityId, id }: { identityId: number; id: number }) => {
    const identity = await owned(caller, identityId);
    return { identity, receipt: await book.keeper.get(caller, id, { identityId }) };
  };

  /** Counts what a preview has shown as used, because its caller begins with it. */
  const mark = async ({ session, composed }: Made) => {
    const told = composed.entries.filter(({ leftOut }) => leftOut === null);
    const idsOf = (source: HydrationSource) => told.filter((one) => one.source === source).map(({ id }) => id);
    await rules.surfaced(session.tenantId, idsOf('StandingRules'));
    // Being told counts as no read: what is told often would become more important by that alone.
    const surfaced = idsOf('SurfacedMemories');
    if (surfaced.length > 0)
      await book.shelves
        .memories(session.tenantId)
        .updateMany({ _id: { $in: surfaced } }, { $set: { lastAccessedAt: new Date(clock.now()) } });
  };

  return {
    get: async ({ caller, params, query: { format, includeHandoff = true, markSurfaced, ...query } }) => {
      const identity = await owned(caller, params.identityId);
      const tokenBudget = query.tokenBudget ?? null;
      const made = await book.make({
        tenantId: caller.tenantId,
        identity,
        projectId: query.projectId ?? null,
        query: query.query ?? null,
        tokenBudget,
        preset: query.preset,
        rights: caller.projects,
        ...(includeHandoff ? {} : { leaving: new Set<HydrationSource>(['Handoff']) }),
      });
      if (markSurfaced) await mark(made);
      const receipt = await book.preview(made, tokenBudget);
      return show(made, receipt, format === 'Markdown', new Date(clock.now()));
    },
    receipts: async ({ caller, params: { identityId }, query }) => {
      await owned(caller, identityId);
      const { items, totalCount } = await book.keeper.page(caller, query, { within: { identityId } });
      return toPage(items.map(toReceiptDto), totalCount, query);
    },
    receipt: async ({ caller, params }) => toReceiptDto((await receiptOf(caller, params)).receipt),
    replay: async ({ caller, params, body }) => {
      const { identity, receipt } = await receiptOf(caller, params);
      const { tenantId, projects: rights } = caller;
      const { projectId, preset, horizon } = receipt;
      const session = await book.sessionOf({
        ...{ tenantId, identity, projectId, preset, horizon, rights },
        ...{ query: null, tokenBudget: receipt.tokenBudget },
      });
      const without = new Set((body.without ?? []).map(keyOf));
      const { composed, gone } = await book.again(receipt, session, without);
      return {
        receiptId: receipt._id,
        markdown: composed.markdown,
        tokenEstimate: composed.tokens,
        items: composed.entries.map(toItemDto),
        gone: gone.map(toItemDto),
      };
    },
  };
});
