// What people want of the interface, in the order in which they come to it: the sections of the reference page.

export interface Task {
  id: string;
  title: string;
  about: string;
  /** Its operations as `METHOD /path`, by pattern, in the order of the page; the first task that has one keeps it. */
  operations: readonly RegExp[];
}

export const tasks: readonly Task[] = [
  {
    id: 'sign-in',
    title: 'Sign in',
    about:
      'Send a key as it is, or trade a login, here or with a provider, for tokens that are good for minutes. Keys belong to identities.',
    operations: [/ \/api\/auth\//, / \/api\/oauth\/(providers|exchange|links)/, / \/api\/users\/me\//, /\/api-keys/],
  },
  {
    id: 'connect',
    title: 'Connect a program',
    about: 'OAuth 2.1: programs such as MCP clients register, ask a person, and get tokens of limited scope.',
    operations: [/ \/api\/oauth2\//, / \/\.well-known\//, / \/api\/oauth\/consents/],
  },
  {
    id: 'start',
    title: 'Start a run',
    about:
      'A goal is enough. Budgets, a role and a model can be said with it; a run can spawn, be forked and restarted.',
    operations: [/^POST \/api\/agent\/runs(\/\{\w+\}\/(start|children|fork|restart))?$/],
  },
  {
    id: 'follow',
    title: 'Follow it',
    about: 'Look at a run, wait for its end, or have everything that happens pushed as it happens, from any cursor.',
    operations: [
      /^GET \/api\/agent\/runs(\/\{\w+\}(\/(events(\/search)?|wait|children|checkpoints|state|sandbox\/stream))?)?$/,
      / \/api\/events/,
      / \/api\/streams\//,
      / \/api\/ws(\/tickets)?$/,
    ],
  },
  {
    id: 'steer',
    title: 'Steer it',
    about: 'Tell it something, change its limits, raise a budget, stop it for a while or for good.',
    operations: [
      /^POST \/api\/agent\/runs\/\{\w+\}\/(messages|pause|resume|cancel|pool|checkpoint|pause-chat)$/,
      / \/api\/agent\/runs\/\{\w+\}\/breakpoints/,
      /^(PATCH|DELETE) \/api\/agent\/runs\/\{\w+\}$/,
      / \/api\/agent\/(.*\/)?(notes|tasks|messages)(\/\{\w+\})?$/,
    ],
  },
  {
    id: 'decide',
    title: 'Decide',
    about: 'Answer what runs ask of people, ask on their behalf, and read what councils made of it.',
    operations: [/\/escalat/, /\/councils/],
  },
  {
    id: 'result',
    title: 'Take the result',
    about: 'Files, changes and deliverables of a run, what you think of it, and links that show it to anybody.',
    operations: [/\/runs\/\{\w+\}\/(files|review|feedback)/, / \/api\/(public\/)?shares/],
  },
  {
    id: 'routines',
    title: 'Run on a schedule or an event',
    about: 'Routines that start runs at their times or when something happens, and the ledger of what became of each.',
    operations: [/ \/api\/agent\/routines/],
  },
  {
    id: 'chat',
    title: 'Chat',
    about: 'Sessions whose replies stream, are resumed anywhere, stopped and made again.',
    operations: [/ \/api\/chat\//, / \/api\/prompts/],
  },
  {
    id: 'projects',
    title: 'Plan work in projects',
    about: 'Projects with their members, and tasks that people and agents claim, move and finish.',
    operations: [/ \/api\/projects(?!.*\/(docs|facts|site-builds))/, / \/api\/tasks/],
  },
  {
    id: 'documents',
    title: 'Write and publish documents',
    about: 'Documents of a project with versions, and the public site that is built from them.',
    operations: [/ \/api\/projects\/.*\/docs/, / \/api\/docs/, /\/site-builds/, / \/api\/public\//],
  },
  {
    id: 'help',
    title: 'Look something up',
    about: 'Anything by words and meaning; topics of help, by page and by error code, and answers from them.',
    operations: [/ \/api\/help\//, / \/api\/search$/],
  },
  {
    id: 'compatible',
    title: 'Use an OpenAI or Anthropic client',
    about: 'Their interfaces at /v1, with a key of this server.',
    operations: [/ \/v1\//],
  },
  {
    id: 'models',
    title: 'Choose models and limit what they cost',
    about: 'Providers and their keys, models and prices, routes between them, budgets, and a place to try them.',
    operations: [/ \/api\/ai-router\/(?!usage)/],
  },
  {
    id: 'remember',
    title: 'Remember',
    about: 'What identities, roles and people remember, found by words and by meaning, and what is to be found out.',
    operations: [/[/-]memories/, /\/(interests|hydration)/, / \/api\/knowledge\//, /\/unlearn$/],
  },
  {
    id: 'mirror',
    title: 'See how agents change, and train them',
    about: 'Where identities resist the pull to please, what they can learn from, and models trained on that.',
    operations: [/\/(mirror|reflections|training-pairs?|datasets|training-runs|checkpoints)(\/|$)/],
  },
  {
    id: 'facts',
    title: 'Keep facts and rules',
    about: 'What is so, and since when; who and what is related; the rules that work is checked against.',
    operations: [/\/facts/, / \/api\/graph\//, / \/api\/standing-rules/],
  },
  {
    id: 'talk',
    title: 'Write to each other',
    about: 'Inboxes and threads of identities, how they stand to each other, and what one leaves for the next.',
    operations: [/ \/api\/messages/, /\/relationships/, / \/api\/session/],
  },
  {
    id: 'people',
    title: 'Say who works, and how',
    about: 'Identities that runs and chats act as, roles, and which tools each role may use.',
    operations: [/ \/api\/identities/, / \/api\/agent-roles/, / \/api\/agent\/(role-definitions|tool-profiles|tools)/],
  },
  {
    id: 'rights',
    title: 'Say who may',
    about:
      'People, their roles and permissions, the units of an organisation, the policy of the tenant, and the log of who did what.',
    operations: [/ \/api\/(users|roles|permissions|org-units|tenant-policy|audit-events)/],
  },
  {
    id: 'import',
    title: 'Bring a history along',
    about:
      'Archives of other providers are read in the background, reviewed by a person, committed once and taken back.',
    operations: [/ \/api\/import/],
  },
  {
    id: 'workspaces',
    title: 'Share files between runs',
    about: 'Workspaces with snapshots.',
    operations: [/ \/api\/workspaces/],
  },
  {
    id: 'export',
    title: 'Take it along',
    about: 'What an identity or a tenant holds, as files, with what would be in them counted before; a run as a file.',
    operations: [/ \/api\/export\//, / \/api\/agent\/runs\/\{id\}\/export/],
  },
  {
    id: 'bots',
    title: 'Offer a bot to others',
    about: 'Identities with a face of their own in chats, and a page on which anybody may talk to a published one.',
    operations: [/ \/api\/(public\/bots|bot-profiles)/],
  },
  {
    id: 'billing',
    title: 'Bill usage',
    about:
      'Plans with quotas, the subscription of a tenant, what it has used, its invoices, and events of a payment service.',
    operations: [/ \/api\/billing\//, / \/api\/payment-webhook/],
  },
  {
    id: 'webhooks',
    title: 'Have events sent elsewhere',
    about: 'Webhooks by patterns of events, signed as Standard Webhooks says, with their deliveries.',
    operations: [/ \/api\/webhooks/],
  },
  {
    id: 'connectors',
    title: 'Connect other systems',
    about: 'Connectors with their addresses and credentials, their endpoints and how fields are mapped; mail.',
    operations: [/ \/api\/connectors/, / \/api\/email/, / \/client-metadata/],
  },
  {
    id: 'channels',
    title: 'Talk through chat services',
    about:
      'Channels to Slack, Discord, Telegram, Mattermost, ntfy, mail and webhooks, both ways, with their deliveries.',
    operations: [/ \/api\/channels/],
  },
  {
    id: 'measure',
    title: 'Measure',
    about: 'What runs and model calls took, cost and came to, and which model or role does best over a dataset.',
    operations: [/ \/api\/agent\/analytics/, / \/api\/ai-router\/usage/, / \/api\/evaluation\//],
  },
  {
    id: 'operate',
    title: 'Run the server',
    about:
      'Whether it is well, its settings, maintenance, nodes, stores, queues and log, who is connected, support, and a demo.',
    operations: [
      / \/api\/((system|infrastructure)\/|demo\b)/,
      / \/api\/system-logs/,
      / \/api\/log-subscriptions/,
      / \/api\/support/,
      / \/api\/ws\/connections/,
    ],
  },
];

/** Operations by task, each once, in the order of the task's patterns; what no task asks for, by tag at the end. */
export function byTask<One extends { method: string; path: string; tags?: string[] }>(
  operations: readonly One[],
  about: ReadonlyMap<string, string>,
): { task: Omit<Task, 'operations'>; operations: One[] }[] {
  const left = new Set(operations);
  const take = (wanted: (one: One) => boolean) => {
    const found = [...left].filter(wanted);
    for (const one of found) left.delete(one);
    return found;
  };
  const sections = tasks.map(({ operations: patterns, ...task }) => ({
    task,
    operations: patterns.flatMap((pattern) => take(({ method, path }) => pattern.test(`${method} ${path}`))),
  }));
  const rest = [...new Set([...left].map(({ tags = [] }) => tags[0] ?? 'Other'))].map((tag) => ({
    task: { id: tag, title: tag, about: about.get(tag) ?? '' },
    operations: take(({ tags = [] }) => (tags[0] ?? 'Other') === tag),
  }));
  return [...sections, ...rest].filter(({ operations: own }) => own.length > 0);
}
