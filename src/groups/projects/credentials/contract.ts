// What opens a project's private repository; operations of ours.
import { group, op } from '../../../contract/operation.ts';
import { boolean, dateTime, dto, fields, nothing, string } from '../../../contract/types.ts';

/** Ours. */
export const RepositoryCredentialsDto = dto('RepositoryCredentialsDto', {
  isSet: boolean,
  username: string.nullable(),
  /** Scheme, host and port that they are sent to. */
  origin: string.nullable(),
  setAtUtc: dateTime.nullable(),
});

/** Header values are made of it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused, spelt so that every reader of the document knows them
const printable = /^[^\u0000-\u001f\u007f-\u009f]+$/u;
const username = string
  .trim()
  .max(200)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  .regex(/^[^\u0000-\u001f\u007f-\u009f:]+$/u, 'must have no colon');
const secret = string.min(1).max(4000).regex(printable, 'must be one line');

export const repositoryCredentials = group(
  'Projects',
  {
    id: 'RepositoryCredentials',
    base: '/api/projects',
    doc: 'What opens the private repository of a project: set by a Maintainer, used to fetch from the host that it was given for, and never shown again.',
  },
  {
    read: op.get('/{id}/repository-credentials', {
      doc: 'Whether the repository of a project has credentials, for which user and host, and since when; never the secret. An operation of ours.',
      needs: 'ProjectsWrite',
      data: RepositoryCredentialsDto,
    }),
    set: op.put('/{id}/repository-credentials', {
      doc: 'Give the token or password that the repository of a project asks for, sealed at rest. A token needs no user name with most hosts. It goes when the repository moves to another host. An operation of ours.',
      needs: 'ProjectsWrite',
      body: fields({ username: username.nullish(), secret }),
      data: RepositoryCredentialsDto,
    }),
    remove: op.delete('/{id}/repository-credentials', {
      doc: 'Forget what opens the repository of a project. What was fetched stays. An operation of ours.',
      needs: 'ProjectsWrite',
      data: nothing,
    }),
  },
);
