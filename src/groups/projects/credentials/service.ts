// Keeps what opens the private repositories of projects, sealed.
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Vault } from '../../../kernel/vault.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { type ProjectAccess, requireUnarchived } from '../../../projects/access.ts';
import type { ProjectDoc, RepositoryCredentials } from '../../../projects/record.ts';
import { credentialsFor, originOf } from '../../../projects/repository.ts';
import { repositoryCredentials } from './contract.ts';

interface Deps {
  keeper: Keeper<ProjectDoc>;
  access: ProjectAccess;
  vault: Vault;
  /** Says in the project's activity what was done. */
  note: (caller: Caller, project: ProjectDoc, action: string) => Promise<unknown>;
  clock: Clock;
}

/** Hosts take any name with a token; this one is GitHub's for tokens of apps too. */
const nameWithToken = 'x-access-token';

export const repositoryCredentialsService = implement(
  repositoryCredentials,
  ({ keeper, access, vault, note, clock }: Deps) => {
    const write = async (caller: Caller, id: number, from: (old: ProjectDoc) => RepositoryCredentials | null) => {
      await access.require(caller, id, 'Maintainer');
      const changed = await keeper.change(
        caller,
        id,
        (old) => {
          requireUnarchived(old);
          return { repositoryCredentials: from(old) };
        },
        // The host that they are for.
        { expecting: ['repositoryUrl'] },
      );
      const isSet = changed.repositoryCredentials != null;
      await note(caller, changed, isSet ? 'set the repository credentials' : 'removed the repository credentials');
      return changed;
    };
    return {
      read: async ({ caller, params }) => shownFrom((await access.require(caller, params.id, 'Maintainer')).project),
      set: async ({ caller, params, body }) => {
        const sealed = vault.seal(caller.tenantId, body.secret);
        const username = body.username ?? nameWithToken;
        const setAt = new Date(clock.now());
        return shownFrom(
          await write(caller, params.id, ({ repositoryUrl }) => {
            const origin = originOf(repositoryUrl);
            if (origin !== null) return { username, sealed, origin, setAt };
            throw new Fault('CONFLICT', 'The project names no repository.', {
              hint: 'Set its repositoryUrl first, with PATCH /api/projects/{id}.',
            });
          }),
        );
      },
      remove: async ({ caller, params }) => {
        await write(caller, params.id, () => null);
        return null;
      },
    };
  },
);

function shownFrom(project: ProjectDoc) {
  const known = credentialsFor(project);
  return {
    isSet: known !== null,
    username: known?.username ?? null,
    origin: known?.origin ?? null,
    setAtUtc: known?.setAt.toISOString() ?? null,
  };
}
