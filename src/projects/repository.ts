// The repository of a project, with the credentials that were given for its host and no other.
import type { Vault } from '../kernel/vault.ts';
import type { ProjectDoc, RepositoryCredentials } from './record.ts';

export interface Repository {
  url: string;
  branch: string | null;
  credentials: RepositoryCredentials | null;
}

/** Scheme, host and port of a URL; null for what is none. */
export const originOf = (url: string | null): string | null =>
  url !== null && URL.canParse(url) ? new URL(url).origin : null;

/** The credentials of a project that belong to its repository as it is named now. */
export function credentialsFor({
  repositoryUrl,
  repositoryCredentials: known,
}: Pick<ProjectDoc, 'repositoryUrl' | 'repositoryCredentials'>): RepositoryCredentials | null {
  return known && known.origin === originOf(repositoryUrl) ? known : null;
}

export function repositoryOf(project: ProjectDoc): Repository | null {
  const { repositoryUrl: url, defaultBranch: branch } = project;
  return url === null ? null : { url, branch, credentials: credentialsFor(project) };
}

/** The same with the value of the Authorization header that opens it. */
export function opened({ credentials, ...repository }: Repository, tenantId: number, vault: Vault) {
  if (!credentials) return { ...repository, authorization: null };
  const { username, sealed } = credentials;
  const pair = Buffer.from(`${username}:${vault.open(tenantId, sealed)}`).toString('base64');
  return { ...repository, authorization: `Basic ${pair}` };
}
