// Which tools a run of an identity could use, tool by tool, and the layers that say so.
import type { Engine } from '../../../../runtime/engine.ts';
import { standingOf } from '../../../../runtime/systems/turn/tool-policy.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Caller } from '../../../contract/caller.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { ToolLayers } from '../../agent/briefings/tool-layers.ts';
import type { FindRun } from '../../agent/runs/find-run.ts';
import { settingOf } from '../settings.ts';
import type { EffectiveToolPolicyDto } from './dto.ts';

interface Deps {
  engine: Pick<Engine, 'listTools'>;
  layers: ToolLayers;
  findRun: FindRun;
  roleName: (tenantId: number, id: number) => Promise<string | null>;
}

export type EffectiveTools = (
  caller: Caller,
  identity: IdentityDoc,
  about: { role?: string | undefined; runId?: number | undefined },
) => Promise<EffectiveToolPolicyDto>;

/** Roles of runs that name none. */
const defaultRole = 'worker';

export function createEffectiveTools({ engine, layers, findRun, roleName }: Deps): EffectiveTools {
  const runOf = async (caller: Caller, identity: IdentityDoc, runId: number) => {
    const run = await findRun(caller, runId);
    if (run.identityId === identity._id) return run;
    throw new Fault('NOT_FOUND', `Run ${runId} is none of this identity.`, {
      hint: `List its runs with GET /api/agent/runs?identityId=${identity._id}.`,
    });
  };

  return async (caller, identity, { role, runId }) => {
    const { _id: identityId, tenantId } = identity;
    const { roleDefinitionId } = settingOf(identity, 'work');
    const own = roleDefinitionId === null ? null : await roleName(tenantId, roleDefinitionId);
    const imagined = {
      tenantId,
      identityId,
      projectId: null,
      role: role ?? own ?? defaultRole,
      toolProfileName: null,
      parentRunId: null,
    };
    const run = runId === undefined ? imagined : await runOf(caller, identity, runId);
    const [policy, tools] = [await layers.policyOf(run, identity), await engine.listTools(tenantId, identityId)];
    const of = (standing: string) =>
      tools.filter((tool) => standingOf(tool, policy) === standing).map(({ name }) => name);
    return {
      identityId,
      identityName: identity.name,
      safeTools: of('safe'),
      optInTools: of('opt-in'),
      blockedTools: of('blocked'),
      appliedLayers: [
        ...(policy?.layers ?? []),
        ...(policy?.within ?? []).flatMap((one) => one.layers.filter((name) => !policy?.layers.includes(name))),
      ],
    };
  };
}
