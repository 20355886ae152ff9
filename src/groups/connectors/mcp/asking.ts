// A call of an MCP server that asks a person: its forms one after the other, and how it goes on once all are answered.
import type { ElicitResult } from '@modelcontextprotocol/client';
import type { AnsweredQuestion, ToolQuestion } from '../../../../runtime/ports.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Asking, GoingOn } from '../../../outside/mcp/connection.ts';
import { answerIn, askedAs, type Form } from '../../../outside/mcp/questions.ts';

/** What a run keeps of a call while somebody is asked. */
interface Kept extends Asking {
  given: Readonly<Record<string, ElicitResult>>;
}

interface About {
  server: string;
  tool: string;
}

/** Characters that a run keeps of a call that asks. */
const mostKept = 200_000;

/** How a call starts: with a question, or with the answers of all. */
export type Step = { asks: ToolQuestion } | { goingOn: GoingOn };

/** What a server's questions mean: the first of its forms is asked. */
export const stepOf = (asking: Asking, about: About): Step => next({ ...asking, given: {} }, about);

/** What a person's answer means: another form is asked, the same again where the answer did not fit, or it goes on. */
export function stepAfter({ kept: text, decision }: AnsweredQuestion, about: About): Step {
  const kept = JSON.parse(text) as Kept;
  const [key, form] = openOf(kept) ?? [];
  if (key === undefined || !form) return next(kept, about);
  const read = answerIn(form, decision);
  if ('problem' in read) return next(kept, about, read.problem);
  return next({ ...kept, given: { ...kept.given, [key]: read.answer } }, about);
}

/** For who can ask nobody. */
export const declining = ({ forms, requestState }: Asking): Step => ({
  goingOn: {
    inputResponses: Object.fromEntries(Object.keys(forms).map((key) => [key, { action: 'decline' as const }])),
    ...(requestState !== undefined && { requestState }),
  },
});

const openOf = ({ forms, given }: Kept): [string, Form] | undefined =>
  Object.entries(forms).find(([key]) => !(key in given));

function next(kept: Kept, about: About, problem?: string): Step {
  const { given: inputResponses, requestState } = kept;
  const [, form] = openOf(kept) ?? [];
  if (!form) return { goingOn: { inputResponses, ...(requestState !== undefined && { requestState }) } };
  const text = JSON.stringify(kept);
  if (text.length > mostKept)
    throw new Fault('MCP_ERROR', 'The server asks with more than a run can keep.', {
      hint: 'Its requestState and forms may have 200,000 characters together.',
    });
  return { asks: { kind: 'elicitation', ...askedAs(form, about, problem), kept: text } };
}
