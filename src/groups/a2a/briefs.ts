// What a run that is a task of A2A is told: whose voice it is, and what was said before in its context.
import { Message } from '@a2a-js/sdk';
import type { RunRecord } from '../../../runtime/records.ts';
import { botProfileRecord } from '../bot-profiles/record.ts';
import type { PartBase } from '../part.ts';
import { type A2aTaskDoc, a2aTaskSpec } from './record.ts';

/** Earlier tasks of a context that a run is told of, and characters of each text. */
const mostTasks = 10;
const mostChars = 4000;

type Briefed = Pick<RunRecord, 'id' | 'tenantId' | 'identityId' | 'idempotencyKey'>;

export function createA2aBriefs({ db, findRun }: Pick<PartBase, 'db' | 'findRun'>) {
  const tasks = db.collection(a2aTaskSpec);
  const bots = db.collection(botProfileRecord.spec);

  const before = async ({ tenantId, botId, contextId, createdAt }: A2aTaskDoc): Promise<string[]> => {
    const earlier = await tasks
      .find(
        { tenantId, botId, contextId, createdAt: { $lt: createdAt } },
        { sort: { createdAt: -1 }, limit: mostTasks },
      )
      .toArray();
    return Promise.all(
      earlier.reverse().map(async ({ messages, runId }) => {
        const run = runId === null ? null : await findRun(runId, tenantId);
        const said = messages.map((text) => `- ${cut(plainOf(text))}`).join('\n');
        return `${said}\n- You: ${cut(run?.result?.summary ?? `(${run?.status ?? 'nothing'})`)}`;
      }),
    );
  };

  /** A run may begin before its task knows it: the key that it was made with names the task. */
  const taskOf = async ({ id, tenantId, identityId, idempotencyKey }: Briefed): Promise<A2aTaskDoc | null> => {
    const [, name] = /:a2a:([0-9a-f-]{36})$/.exec(idempotencyKey ?? '') ?? [];
    const task = name === undefined ? null : await tasks.findOne({ _id: name, tenantId, identityId });
    return task && (task.runId ?? id) === id ? task : null;
  };

  return async (run: Briefed): Promise<string | null> => {
    const { tenantId } = run;
    const task = await taskOf(run);
    const bot = task && (await bots.findOne({ _id: task.botId, tenantId }));
    if (!task || !bot) return null;
    const { displayName, systemPromptOverride } = bot;
    const earlier = await before(task);
    return [
      `You answer another agent as ${displayName}. Your final answer is all that it is shown.`,
      systemPromptOverride,
      earlier.length > 0 ? `What was said before in this conversation:\n${earlier.join('\n')}` : null,
    ]
      .filter(Boolean)
      .join('\n\n');
  };
}

const plainOf = (text: string): string =>
  Message.fromJSON(JSON.parse(text))
    .parts.map(({ content }) => (content?.$case === 'text' ? content.value : JSON.stringify(content?.value)))
    .join(' ');

const cut = (text: string): string => (text.length > mostChars ? `${text.slice(0, mostChars)}…` : text);
