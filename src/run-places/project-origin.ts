// Repository of a project as the origin of its runs' store; its address is checked against the policy each time.
import { requirePublicHttps } from '../../sandbox/network/public-url.ts';
import type { RunPlace, RunSandboxesOptions } from '../../sandbox/runs/run-sandboxes.ts';

interface Repository {
  url: string;
  branch: string | null;
  /** Value of the Authorization header that a private one asks for. */
  authorization: string | null;
}

export type RepositoryOf = (run: RunPlace) => Promise<Repository | null>;

interface Deps {
  repositoryOf: RepositoryOf;
  /** True when the operator allows private addresses. */
  allowsPrivate: boolean;
}

export const originFrom =
  ({ repositoryOf, allowsPrivate }: Deps): NonNullable<RunSandboxesOptions['originOf']> =>
  async (run) => {
    const repository = await repositoryOf(run);
    if (!repository) return null;
    const { authorization, ...origin } = repository;
    const check = async () => {
      const { host, port, address, url } = await requirePublicHttps(origin.url, undefined, { allowsPrivate });
      return {
        url,
        allowsHttp: allowsPrivate,
        // An address looks itself up.
        ...(host === address ? {} : { at: { host, port, address } }),
        ...(authorization === null ? {} : { authorization }),
      };
    };
    return { ...origin, check };
  };
