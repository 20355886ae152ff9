// Shows the councils that runs convened.
import type { RunStore } from '../../../../runtime/ports.ts';
import type { CouncilRecord } from '../../../../runtime/state/council.ts';
import { councilView, debateView } from '../../../../runtime/views/council.ts';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import { Fault } from '../../../kernel/fault.ts';
import { aboutRun, type FindRun } from '../runs/find-run.ts';
import { agentCouncils } from './contract.ts';

interface Deps {
  councils: Pick<RunStore['councils'], 'get' | 'ofRun'>;
  findRun: FindRun;
  /** Whether a chat is the caller's: its councils are theirs alone. */
  mayReadChat: (caller: Caller, sessionId: number) => Promise<boolean>;
}

export const agentCouncilsService = implement(agentCouncils, ({ councils, findRun, mayReadChat }: Deps) => {
  /** Whether its run, or its chat, is there for the caller. */
  const isSeen = async (caller: Caller, { runId, chatSessionId }: CouncilRecord) => {
    if (chatSessionId !== null) return mayReadChat(caller, chatSessionId);
    if (runId === null || !caller.projects) return true;
    return findRun(caller, runId).then(
      () => true,
      () => false,
    );
  };
  const find = async (caller: Caller, id: number) => {
    const council = await councils.get(id, caller.tenantId);
    if (council?.tenantId === caller.tenantId && (await isSeen(caller, council))) return council;
    throw new Fault('NOT_FOUND', `There is no council ${id}.`, {
      hint: 'List those of a run with GET /api/agent/runs/{runId}/councils.',
    });
  };
  return {
    list: aboutRun(findRun)(async ({ run, query }) => {
      // A run holds a handful of councils: they are sorted here.
      const found = (await councils.ofRun(run.id)).filter((one) => !query.status || one.status === query.status);
      const start = (query.page - 1) * query.pageSize;
      const items = inOrder(found, query.sort ?? '-createdAtUtc').slice(start, start + query.pageSize);
      return toPage(items.map(councilView), found.length, query);
    }),
    get: async ({ caller, params }) => councilView(await find(caller, params.id)),
    debate: async ({ caller, params }) => debateView(await find(caller, params.id)),
  };
});

function inOrder(councils: CouncilRecord[], sort: string): CouncilRecord[] {
  const sign = sort.startsWith('-') ? -1 : 1;
  const field = sort.replace(/^-/, '').replace(/Utc$/, '') as 'createdAt' | 'completedAt' | 'status' | 'id';
  const rank = (one: CouncilRecord) => one[field] ?? '';
  return councils.sort((a, b) => sign * (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : a.id - b.id));
}
