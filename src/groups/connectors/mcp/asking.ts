// A call of an MCP server that wants something first: people are asked one thing after the other, then it goes on with all.
import type { InputResponses } from '@modelcontextprotocol/client';
import type { AnsweredQuestion, ToolQuestion } from '../../../../runtime/ports.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Asking, GoingOn } from '../../../outside/mcp/connection.ts';
import { answerIn, askedAs, drawnAs, type Form } from '../../../outside/mcp/questions.ts';
import { type CallHost, fulfilled, type Wish } from '../../../outside/mcp/wishes.ts';

/** What a run or chat keeps of a call while somebody is asked. */
interface Kept extends Asking {
  given: InputResponses;
  /** Prompts for a model that a person has let through. */
  approved: readonly string[];
}

/** Whom a call speaks for. */
export interface About extends CallHost {
  server: string;
  tool: string;
}

/** Characters that are kept of a call that asks. */
const mostKept = 200_000;

/** How a call starts: with a question, with what it wanted, or, where a person declined what nothing else can give, not. */
export type Step = { asks: ToolQuestion } | { goingOn: GoingOn | undefined } | { ends: string };

/** What a server's wishes mean: the first that needs a person is asked. */
export const stepOf = (asking: Asking, about: About): Promise<Step> =>
  next({ ...asking, given: {}, approved: [] }, about);

/** What a person's answer means: another wish is asked, the same again where the answer did not fit, or it goes on. */
export async function stepAfter({ kept: text, decision }: AnsweredQuestion, about: About): Promise<Step> {
  const kept = readKept(text);
  const [key, wish] = openOf(kept, about) ?? [];
  if (key === undefined || !wish) return next(kept, about);
  if (wish.kind === 'form') {
    const read = answerIn(wish.form, decision);
    return 'problem' in read ? next(kept, about, read.problem) : next(given(kept, key, read.answer), about);
  }
  const word = (decision ?? 'cancel').trim().toLowerCase();
  const isYes = /^(done|accept|approve|yes)/.test(word);
  if (!isYes && !/^(decline|reject|cancel|no)/.test(word)) return next(kept, about, 'It is neither yes nor no.');
  if (wish.kind === 'model')
    return isYes
      ? next({ ...kept, approved: [...kept.approved, key] }, about)
      : kept.open === undefined
        ? { ends: 'A person did not let the server ask a model.' }
        : { goingOn: { inputResponses: {} } };
  if (!isYes && kept.anew) return { ends: 'A person did not open the address that the server needs first.' };
  const action = isYes ? 'accept' : word.startsWith('cancel') ? 'cancel' : 'decline';
  return next(given(kept, key, { action }), about);
}

/** What a server asks in a call that was made anew: the answer counts that a person has given to the same before. */
export function stepAgain(asking: Asking, { kept, decision }: AnsweredQuestion, about: About): Promise<Step> {
  const [before] = Object.values(readKept(kept).wishes);
  const [now] = Object.values(asking.wishes);
  if (decision === null || JSON.stringify(before) !== JSON.stringify(now)) return stepOf(asking, about);
  return stepAfter({ kept: JSON.stringify({ ...asking, given: {}, approved: [] }), decision }, about);
}

/** The open call that a question hung on, with what was asked; null for one that hangs on nothing. */
export function openIn(kept: string): { call: string; question: string; wish: Wish } | null {
  const { open, wishes } = readKept(kept);
  const [[question, wish] = []] = Object.entries(wishes);
  return open === undefined || question === undefined || !wish ? null : { call: open, question, wish };
}

/** Calls that an earlier version left waiting keep forms alone. */
function readKept(text: string): Kept {
  const { forms = {}, ...kept } = JSON.parse(text) as Kept & { forms?: Record<string, Form> };
  const wishes = Object.entries(forms).map(([key, form]) => [key, { kind: 'form' as const, form }]);
  return { ...kept, approved: kept.approved ?? [], wishes: kept.wishes ?? Object.fromEntries(wishes) };
}

const given = (kept: Kept, key: string, answer: InputResponses[string]): Kept => ({
  ...kept,
  given: { ...kept.given, [key]: answer },
});

const needsPerson = ({ kind }: Wish): boolean => kind === 'form' || kind === 'link';

/** The first wish that a person has to look at. */
const openOf = ({ wishes, given: had, approved }: Kept, { asksForModels }: About): [string, Wish] | undefined =>
  Object.entries(wishes).find(
    ([key, wish]) =>
      !(key in had) && (needsPerson(wish) || (wish.kind === 'model' && asksForModels && !approved.includes(key))),
  );

async function next(kept: Kept, about: About, problem?: string): Promise<Step> {
  const [, wish] = openOf(kept, about) ?? [];
  if (!wish) return goOn(kept, about);
  // What is not offered is not worth a person's time.
  if (wish.kind === 'model' && !about.model) {
    if (kept.open !== undefined) return goOn(kept, about);
    await fulfilled(wish, about);
  }
  const text = JSON.stringify(kept);
  if (text.length > mostKept)
    throw new Fault('MCP_ERROR', 'The server asks with more than can be kept.', {
      hint: 'Its requestState and forms may have 200,000 characters together.',
    });
  return { asks: { ...questionOf(wish, about, problem), kept: text } };
}

/** Goes on, with what needs no person. */
async function goOn(kept: Kept, about: About): Promise<Step> {
  if (kept.anew) return { goingOn: undefined };
  const inputResponses = { ...kept.given };
  for (const [key, wish] of Object.entries(kept.wishes))
    if (!(key in inputResponses)) {
      // An open call is refused what it may not have, and goes on.
      const answer = await fulfilled(wish, about).catch((error: unknown) => {
        if (kept.open === undefined) throw error;
      });
      if (answer) inputResponses[key] = answer;
    }
  const { requestState } = kept;
  return { goingOn: { inputResponses, ...(requestState !== undefined && { requestState }) } };
}

function questionOf(wish: Wish, about: About, problem?: string): Omit<ToolQuestion, 'kept'> {
  const lead = problem ? [`The last answer did not fit: ${problem}`] : [];
  const { server, tool } = about;
  const drawn = { server, tool, problem };
  if (wish.kind === 'form')
    return { kind: 'elicitation', ...askedAs(wish.form, about, problem), ...drawnAs(wish.form, drawn) };
  if (wish.kind === 'link')
    return {
      ...drawnAs({ message: wish.message, url: wish.url }, drawn),
      ...{ kind: 'elicitation', needsPerson: true, options: ['done', 'decline'] },
      situation: [
        ...lead,
        `${server} wants you to open an address while ${tool} is called. It is at ${new URL(wish.url).host}:`,
        wish.url,
        wish.message,
        'Open it only if you trust it, then answer "done"; nothing of it passes through here.',
      ].join('\n'),
    };
  const { system, messages, maxTokens } = (wish as Extract<Wish, { kind: 'model' }>).prompt;
  return {
    ...{ kind: 'sampling', options: ['approve', 'decline'] },
    situation: [
      ...lead,
      `${server} wants to ask a model while ${tool} is called, at the expense of this run. It is told the answer, of at most ${maxTokens} tokens.`,
      ...(system === null ? [] : [`system: ${system}`]),
      ...messages.map(({ role, text }) => `${role}: ${text}`),
    ]
      .join('\n')
      .slice(0, 20_000),
  };
}
