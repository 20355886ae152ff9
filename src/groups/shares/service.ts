// Makes, lists and revokes links to runs and chats.
import { hashSecret, newToken } from '../../auth/keys.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Filter } from '../../ports/db.ts';
import { requireChangeIn } from '../../ports/in-project.ts';
import type { Keeper } from '../../ports/keeper.ts';
import { shown } from '../../ports/shown.ts';
import type { FindRun } from '../agent/runs/find-run.ts';
import type { Access } from '../chat/access.ts';
import { kept } from '../kept.ts';
import { shares as contract } from './contract.ts';
import { ShareDto } from './dto.ts';
import type { ShareDoc } from './record.ts';

export interface SharesDeps {
  shares: Keeper<ShareDoc>;
  findRun: FindRun;
  access: Pick<Access, 'session'>;
  clock: Clock;
  /** Where people reach the server. */
  publicUrl: () => string;
}

const { list, get, remove } = contract.operations;
/** `create` answers more than is kept. */
const listed = { ...contract, operations: { list, get, remove } };
const hourMs = 3_600_000;
const titleChars = 200;

export const sharesService = implement(contract, (deps: SharesDeps) => {
  const { shares, findRun, access, clock, publicUrl } = deps;

  /** What is to be shown, as its owner may share it. @throws Fault */
  const subject = async (caller: Caller, runId: number | null, chatSessionId: number | null): Promise<string> => {
    if ((runId === null) === (chatSessionId === null))
      throw new Fault('VALIDATION_FAILED', 'A link shows one run or one chat.', {
        hint: 'Send runId or chatSessionId.',
      });
    if (runId !== null) {
      const run = await findRun(caller, runId);
      requireChangeIn(caller, run.projectId);
      return run.goal;
    }
    if (!caller.permissions.has('ChatWrite'))
      throw new Fault('FORBIDDEN', 'You may not share chats.', { hint: 'It takes the permission ChatWrite.' });
    return (await access.session(caller, chatSessionId as number)).title;
  };

  return {
    ...kept(listed, shares, { show, mayRead }),
    create: async ({ caller, body }) => {
      const { runId = null, chatSessionId = null, expiresInHours, includeFiles, embedOrigins } = body;
      const title = (await subject(caller, runId, chatSessionId)).slice(0, titleChars);
      const token = newToken('shr_');
      const doc = await shares.insert(caller, {
        ...{ runId, chatSessionId, title },
        includeFiles: includeFiles && runId !== null,
        embedOrigins,
        expiresAt: new Date(clock.now() + expiresInHours * hourMs),
        tokenHash: hashSecret(token),
        last4: token.slice(-4),
        createdByName: caller.name,
        createdByUserId: caller.userId,
        createdByIdentityId: caller.identityId,
      });
      // Browsers send no fragment: the token reaches no log on its way.
      const base = publicUrl().replace(/\/$/, '');
      const embedUrl = embedOrigins.length > 0 ? `${base}/embed.html?share=${doc.guid}#${token}` : null;
      return { ...show(doc), token, url: `${base}/#/shared/${token}`, embedUrl };
    },
  };
});

/** Links that were made before pages could embed them name no origins. */
const show = (doc: ShareDoc): ShareDto => shown(ShareDto, doc, { embedOrigins: doc.embedOrigins ?? [] });

/** One's own links; those of all for who may change users. */
function mayRead(caller: Caller): Filter<ShareDoc> {
  const { userId, identityId, permissions } = caller;
  if (permissions.has('UsersWrite')) return {};
  const own: Filter<ShareDoc>[] = [
    ...(userId === null ? [] : [{ createdByUserId: userId }]),
    ...(identityId === null ? [] : [{ createdByIdentityId: identityId }]),
  ];
  return own.length > 0 ? { $or: own } : { _id: -1 };
}
