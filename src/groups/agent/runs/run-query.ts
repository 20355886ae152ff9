// What a list of runs is asked for, as a query of the store.
import type { RunQuery } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import { unended } from '../../../../runtime/state/run.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { AgentRunStatus } from '../../../contract/enums.ts';
import { hiddenFrom } from '../../../ports/in-project.ts';
import { defined } from '../../fields.ts';

interface ListQuery {
  page: number;
  pageSize: number;
  sort?: string | undefined;
  fromUtc?: string | undefined;
  toUtc?: string | undefined;
  status?: AgentRunStatus | AgentRunStatus[] | undefined;
  activeOnly?: boolean | undefined;
  mcpTask?: boolean | undefined;
  [filter: string]: unknown;
}

export function toQuery(
  caller: Caller,
  { page, pageSize, sort, fromUtc, toUtc, status, activeOnly, mcpTask, recursive: _, ...filters }: ListQuery,
): RunQuery {
  const asked = status === undefined ? null : [status].flat();
  const active = activeOnly ? unended : null;
  const statuses = asked && active ? asked.filter((one) => active.includes(one)) : (asked ?? active);
  return {
    tenantId: caller.tenantId,
    hiddenProjects: hiddenFrom(caller),
    ...defined(filters),
    ...(statuses ? { status: statuses } : {}),
    ...(mcpTask ? { mcpOwner: mcpOwnerOf(caller) } : {}),
    ...(fromUtc === undefined ? {} : { from: Date.parse(fromUtc) }),
    ...(toUtc === undefined ? {} : { to: Date.parse(toUtc) }),
    ...(sort === undefined ? {} : { sort: fieldOf(sort), descending: sort.startsWith('-') }),
    skip: (page - 1) * pageSize,
    limit: pageSize,
  };
}

/** Whose task of MCP a run is that this caller begins as one. */
export const mcpOwnerOf = ({ identityId, userId }: Caller) => (identityId === null ? `u${userId}` : `i${identityId}`);

/** `-createdAtUtc` → `createdAt`. */
export const fieldOf = (sort: string) => sort.replace(/^-/, '').replace(/Utc$/, '') as keyof RunRecord;
