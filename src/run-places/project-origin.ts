// The repository of a project as the store of its runs follows it: checked against the policy on addresses each time.
import { requirePublicHttps } from '../../sandbox/network/public-url.ts';
import type { RunPlace, RunSandboxesOptions } from '../../sandbox/runs/run-sandboxes.ts';

export type RepositoryOf = (run: RunPlace) => Promise<{ url: string; branch: string | null } | null>;

interface Deps {
  repositoryOf: RepositoryOf;
  /** Repositories may have private addresses, as the operator says. */
  allowsPrivate: boolean;
}

export const originFrom =
  ({ repositoryOf, allowsPrivate }: Deps): NonNullable<RunSandboxesOptions['originOf']> =>
  async (run) => {
    const repository = await repositoryOf(run);
    if (!repository) return null;
    const check = async () => {
      const { host, port, address, url } = await requirePublicHttps(repository.url, undefined, { allowsPrivate });
      // An address looks itself up.
      return { url, allowsHttp: allowsPrivate, ...(host === address ? {} : { at: { host, port, address } }) };
    };
    return { ...repository, check };
  };
