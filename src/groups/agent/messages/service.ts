// Lists the messages of runs and carries new ones to them.
import { hasEnded } from '../../../../runtime/state/run.ts';
import type { Acting } from '../../../auth/acting.ts';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { Fault } from '../../../kernel/fault.ts';
import { pageOf } from '../../../ports/page-of.ts';
import { sortOf } from '../../../ports/sort-of.ts';
import type { Inbox } from '../../messages/inbox.ts';
import { aboutRun, type FindRun } from '../runs/find-run.ts';
import { agentMessages } from './contract.ts';

interface Deps {
  inbox: Inbox;
  acting: Acting;
  findRun: FindRun;
}

export const agentMessagesService = implement(agentMessages, ({ inbox, acting, findRun }: Deps) => ({
  list: aboutRun(findRun)(async ({ caller, run, query }) => {
    const filter = {
      runId: run.id,
      ...(query.type === undefined ? {} : { type: query.type }),
      ...(query.sinceUtc === undefined ? {} : { createdAt: { $gte: new Date(query.sinceUtc) } }),
    };
    const { items, totalCount } = await pageOf(inbox.messages(caller.tenantId), {
      ...query,
      filter,
      sort: sortOf(query.sort ?? '-createdAtUtc'),
    });
    return toPage(await inbox.toDtos(caller.tenantId, items), totalCount, query);
  }),
  create: aboutRun(findRun)(async ({ caller, run, body }) => {
    if (hasEnded(run.status))
      throw new Fault('INVALID_TRANSITION', `Run ${run.id} is ${run.status}: it reads no more messages.`, {
        hint: `Continue it with POST /api/agent/runs/${run.id}/restart or /fork.`,
      });
    const { message } = await inbox.send({
      tenantId: caller.tenantId,
      senderId: await senderOf(acting, caller, body.senderId ?? null),
      recipientIds: [run.identityId],
      content: body.content,
      type: body.type ?? 'Text',
      priority: body.priority ?? 'Normal',
      requiresReply: body.requiresReply ?? false,
      runId: run.id,
      projectId: run.projectId,
      toRunId: run.id,
      // Who may steer the run may speak to it.
      anyway: true,
    });
    return message;
  }),
}));

/** Who speaks: the caller's identity, or one that the caller may act as. */
async function senderOf(acting: Acting, caller: Caller, wanted: number | null): Promise<number> {
  if (wanted !== null && wanted !== caller.identityId) return (await acting.require(caller, wanted)).identityId;
  if (caller.identityId !== null) return caller.identityId;
  throw new Fault('VALIDATION_FAILED', 'You have no identity to speak as.', { hint: 'Name one in senderId.' });
}
