// Hints name operations, for who calls the API; here they are said for who looks at pages instead.

/** Which page of the dashboard does what the operations below a path do; the first that fits. */
const pages: readonly (readonly [below: RegExp, page: string])[] = [
  [/^\/api\/(docs|site-builds|projects\/[^/]+\/(docs|site-builds)|public\/projects)\b/, 'Documents'],
  [/^\/api\/(facts|projects\/[^/]+\/facts)\b/, 'Facts'],
  [/^\/api\/(projects|tasks)\b/, 'Projects'],
  [/^\/api\/agent\/(role-definitions|tool-profiles|tools)\b/, 'Roles and tools'],
  [/^\/api\/agent\/routines\b/, 'Routines'],
  [/^\/api\/agent\/escalations\b/, 'Escalations'],
  [/^\/api\/agent\/(runs|councils)\b/, 'Runs'],
  [/^\/api\/identities\/[^/]+\/(datasets|training-[a-z]+|reflections|checkpoints)\b/, 'Mirror'],
  [/^\/api\/(datasets|training-[a-z]+|reflections|checkpoints)\b/, 'Mirror'],
  [/^\/api\/(identities\/[^/]+\/(memories|interests)|agent-memories|memories|personal-memories|graph)\b/, 'Memory'],
  [/^\/api\/standing-rules\b/, 'Standing rules'],
  [/^\/api\/(identities|relationships)\b/, 'Identities and keys'],
  [/^\/api\/ai-router\b/, 'Models'],
  [/^\/api\/prompts\b/, 'Prompts'],
  [/^\/api\/chat\b/, 'Chat'],
  [/^\/api\/messages\b/, 'Inbox'],
  [/^\/api\/(users\/me|auth\/(email|mfa|sessions))\b/, 'Account'],
  [/^\/api\/(users|roles|permissions)\b/, 'People'],
  [/^\/api\/(connectors|email)\b/, 'Connectors'],
  [/^\/api\/channels\b/, 'Channels'],
  [/^\/api\/bot-profiles\b/, 'Bots'],
  [/^\/api\/webhooks\b/, 'Webhooks'],
  [/^\/api\/import\b/, 'Imports'],
  [/^\/api\/export\b/, 'Export'],
  [/^\/api\/evaluation\b/, 'Evaluation'],
  [/^\/api\/knowledge\b/, 'Knowledge goals'],
  [/^\/api\/tenant-policy\b/, 'Policy'],
  [/^\/api\/audit-events\b/, 'Audit log'],
  [/^\/api\/(system-logs|log-subscriptions)\b/, 'Log'],
  [/^\/api\/(system|infrastructure|demo)\b/, 'System'],
  [/^\/api\/help\b/, 'Help'],
];

/** What leads to an operation, its method and path, and what is to be sent with it. */
const operation =
  /(?<lead>^|(?<=\. )|: | \(|(?<!\.) )(?<how>(?:with|by|at|in) )?(?:GET|POST|PUT|PATCH|DELETE) (?<path>\/[^\s,;)]*[^\s,;).:])(?: (?:with |and )?(?:\{[^}]*\}|\w+ (?:true|false)\b)| or \/\w+| without a message)?/g;

/**
 * The hint of an error for somebody who calls no operations: `List them with GET /api/webhooks.` becomes
 * `List them under Webhooks.`
 *
 * @param of where the pages are, for who has none before them, e.g. ` in the dashboard`
 */
export function plainHint(hint: string, of = ''): string {
  return hint.replace(/; \/docs shows what is expected\.$/, '.').replace(operation, (...match) => {
    const { lead, how, path } = match.at(-1) as { lead: string; how?: string; path: string };
    const page = pages.find(([below]) => below.test(path))?.[1];
    const name = page ? `${page}${of}` : null;
    if (lead === '') return name ? `The page ${name}` : 'The API';
    if (lead === ': ') return name ? `, under ${name}` : '';
    if (lead === ' (') return name ? ` (under ${name}` : ' (by the API';
    if (how) return name ? ` under ${name}` : '';
    return name ? ` the page ${name}` : ' the API';
  });
}
