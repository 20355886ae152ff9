// Writes AGENTS.md and CLAUDE.md: who an identity is, and how an agent elsewhere works as it over this server.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement, type RequestInfo } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ProjectAccess } from '../../projects/access.ts';
import type { ProjectDoc } from '../../projects/record.ts';
import { personText } from '../agent/briefings/system-text.ts';
import { type OwnAddress, reachedAt } from '../base-url.ts';
import type { People } from '../identities/people.ts';
import { agentFiles } from './contract.ts';

interface Deps extends OwnAddress {
  people: People;
  projects: Pick<ProjectAccess, 'require'>;
}

interface Asked {
  caller: Caller;
  query: { projectId?: number | undefined; download?: boolean | undefined };
  request: RequestInfo;
}

export const agentFilesService = implement(agentFiles, ({ people, projects, ...reach }: Deps) => {
  const write = async ({ caller, query, request }: Asked, id: number, name: string) => {
    const { projectId } = query;
    const within = projectId === undefined ? null : (await projects.require(caller, projectId)).project;
    const text = textFor(await people.get(caller, id), reachedAt(request, reach), name, within);
    return {
      kind: 'file' as const,
      mediaType: 'text/markdown; charset=utf-8',
      body: text,
      ...(query.download ? { fileName: name } : {}),
    };
  };
  const own = ({ identityId }: Caller): number => {
    if (identityId !== null) return identityId;
    throw new Fault('VALIDATION_FAILED', 'You have no identity of your own.', {
      hint: 'Name one with GET /api/identities/{id}/agents.md.',
    });
  };
  return {
    ownAgents: (asked) => write(asked, own(asked.caller), 'AGENTS.md'),
    ownClaude: (asked) => write(asked, own(asked.caller), 'CLAUDE.md'),
    agents: (asked) => write(asked, asked.params.id, 'AGENTS.md'),
    claude: (asked) => write(asked, asked.params.id, 'CLAUDE.md'),
  };
});

/** What agents of a project are told, wherever they work. */
const projectText = ({ _id, name, key, description, repositoryUrl, defaultBranch, agentInstructions }: ProjectDoc) =>
  [
    `## The project ${name} (${key})`,
    description,
    agentInstructions,
    repositoryUrl && `Its repository is ${repositoryUrl}${defaultBranch ? `, branch ${defaultBranch}` : ''}.`,
    `Ask for work in it with \`GET /api/tasks/next?projectId=${_id}\`, and name \`projectId\` ${_id} in what you write.`,
  ]
    .filter(Boolean)
    .join('\n\n');

function textFor(identity: IdentityDoc, url: string, name: string, project: ProjectDoc | null): string {
  const { _id: id, displayName } = identity;
  return `${[
    `# ${displayName}`,
    `You work as ${displayName}, an identity of the Rivulet server at ${url}.`,
    personText(identity),
    project && projectText(project),
    [
      '## How to work with the server',
      '',
      'Send `Authorization: Bearer $RIVULET_KEY`, a key of this identity, with every request.',
      '',
      `- At the start, ask what awaits you: \`GET ${url}/api/session\`. Claim a hand-off with \`POST /api/session/handoffs/{id}/claim\`.`,
      `- Read your messages with \`GET ${url}/api/messages/inbox?unreadOnly=true\`; answer with \`POST /api/messages/{id}/reply\`.`,
      `- See what you are to be reminded of: \`GET ${url}/api/identities/${id}/hints/due\`.`,
      `- Start work with \`POST ${url}/api/agent/runs\`; follow it with \`GET /api/agent/runs/{id}/events\`.`,
      '- At the end, leave what is open to your next session: `POST /api/session/handoffs`.',
      '',
      `The whole interface is at ${url}/docs. Every failure has a hint that names the next useful step.`,
    ].join('\n'),
    name === 'CLAUDE.md'
      ? `To speak to models through this server, set \`ANTHROPIC_BASE_URL=${url}\` and use the key as \`ANTHROPIC_AUTH_TOKEN\`.`
      : null,
  ]
    .filter(Boolean)
    .join('\n\n')}\n`;
}
