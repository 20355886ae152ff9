// Makes the first record of a workspace from what its creator asks for.
import type { Caller } from '../../contract/caller.ts';
import type { Input } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { UnitsOfTenants } from '../../org-units/units.ts';
import type { Draft } from '../../ports/record.ts';
import type { workspaces } from './contract.ts';
import type { Expiry } from './expiry.ts';
import type { WorkspaceDoc } from './records.ts';
import { scratchMs } from './upkeep.ts';

type Body = Input<(typeof workspaces)['operations']['create']>['body'];

interface Deps {
  clock: Clock;
  expiry: Expiry;
  checkUrl: (url: string) => Promise<unknown>;
  units: Pick<UnitsOfTenants, 'require'>;
}

/** @throws (from what it returns) Fault VALIDATION_FAILED, NOT_FOUND, FORBIDDEN for what can't be made */
export function createDrafts({ clock, expiry, checkUrl, units }: Deps) {
  return async (caller: Caller, body: Body): Promise<Draft<WorkspaceDoc>> => {
    const kind = body.kind ?? (body.gitUrl == null ? 'Folder' : 'Git');
    if ((kind === 'Git') !== (body.gitUrl != null))
      throw new Fault('VALIDATION_FAILED', 'A workspace of kind Git, and no other, is cloned from a gitUrl.', {
        hint: 'Give both or neither.',
      });
    if (body.connectorId != null)
      throw new Fault('NOT_FOUND', `There is no connector ${body.connectorId}.`, {
        hint: 'Clone a repository that anybody can read, without connectorId.',
      });
    await units.require(caller.tenantId, body.orgUnitId);
    if (body.gitUrl != null) await checkUrl(body.gitUrl);
    return {
      name: body.name,
      description: body.description ?? null,
      kind,
      state: kind === 'Git' ? 'Preparing' : 'Ready',
      projectId: body.projectId ?? null,
      orgUnitId: body.orgUnitId ?? null,
      ownerIdentityId: caller.identityId,
      rootPath: '',
      gitUrl: body.gitUrl ?? null,
      branch: body.branch ?? null,
      headSha: null,
      sizeBytes: 0,
      quotaBytes: body.quotaBytes ?? null,
      fileCount: 0,
      isReadOnly: false,
      lastError: null,
      removingAt: null,
      expiresAt: expiry(body.expiresAtUtc) ?? (kind === 'Scratch' ? new Date(clock.now() + scratchMs) : null),
    };
  };
}
