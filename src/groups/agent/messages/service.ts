// Lists the messages of runs and carries new ones to them.
import { hasEnded } from '../../../../runtime/state/run.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { Fault } from '../../../kernel/fault.ts';
import { pageOf } from '../../../ports/page-of.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import type { Inbox } from '../../messages/inbox.ts';
import { sortOf } from '../../sort.ts';
import type { FindRun } from '../runs/find-run.ts';
import { agentMessages } from './contract.ts';

interface Deps {
  inbox: Inbox;
  identities: PerTenant<IdentityDoc>;
  findRun: FindRun;
}

export const agentMessagesService = implement(agentMessages, ({ inbox, identities, findRun }: Deps) => ({
  list: async ({ caller, params, query }) => {
    await findRun(caller, params.runId);
    const filter = {
      runId: params.runId,
      ...(query.type === undefined ? {} : { type: query.type }),
      ...(query.sinceUtc === undefined ? {} : { createdAt: { $gte: new Date(query.sinceUtc) } }),
    };
    const { items, totalCount } = await pageOf(inbox.messages(caller.tenantId), {
      ...query,
      filter,
      sort: sortOf(query.sort ?? '-createdAtUtc'),
    });
    return toPage(await inbox.toDtos(caller.tenantId, items), totalCount, query);
  },
  create: async ({ caller, params, body }) => {
    const run = await findRun(caller, params.runId);
    if (hasEnded(run.status))
      throw new Fault('INVALID_TRANSITION', `Run ${run.id} is ${run.status}: it reads no more messages.`, {
        hint: `Continue it with POST /api/agent/runs/${run.id}/restart or /fork.`,
      });
    const { message } = await inbox.send({
      tenantId: caller.tenantId,
      senderId: await senderOf(identities, caller, body.senderId ?? null),
      recipientIds: [run.identityId],
      content: body.content,
      type: body.type ?? 'Text',
      priority: body.priority ?? 'Normal',
      requiresReply: body.requiresReply ?? false,
      runId: run.id,
      projectId: run.projectId,
      toRunId: run.id,
    });
    return message;
  },
}));

/** Who speaks: the caller's identity, or one that the caller's user owns or that it provisioned. */
async function senderOf(identities: PerTenant<IdentityDoc>, caller: Caller, wanted: number | null): Promise<number> {
  if (wanted === null || wanted === caller.identityId) {
    if (caller.identityId !== null) return caller.identityId;
    throw new Fault('VALIDATION_FAILED', 'You have no identity to speak as.', { hint: 'Name one in senderId.' });
  }
  const sender = await identities(caller.tenantId).findOne({ _id: wanted, deletedAt: null });
  if (!sender)
    throw new Fault('NOT_FOUND', `There is no identity ${wanted}.`, {
      hint: 'List identities with GET /api/identities.',
    });
  const own = caller.userId !== null && sender.userId === caller.userId;
  const provisioned = caller.identityId !== null && sender.provisionedByIdentityId === caller.identityId;
  if (own || provisioned) return sender._id;
  throw new Fault('OWNERSHIP_REQUIRED', `You may not speak as ${sender.displayName}.`, {
    hint: 'Leave senderId out to speak as yourself.',
  });
}
