// What a channel says of an event: a title and a few lines of Markdown, and how much it matters.
import type { MessagePriority } from '../../contract/enums.ts';
import { at, jsonOr, textAt } from '../../outside/channels/verify.ts';
import type { Happened } from '../../routines/event-match.ts';
import type { Asked } from './record.ts';

export const rankOf: Readonly<Record<MessagePriority, number>> = { Low: 0, Normal: 1, High: 2, Urgent: 3 };

const byUrgency: Readonly<Record<string, MessagePriority>> = {
  Low: 'Low',
  Normal: 'Normal',
  High: 'High',
  Critical: 'Urgent',
};
const byLevel: Readonly<Record<string, MessagePriority>> = { Warning: 'High', Error: 'Urgent', Critical: 'Urgent' };

/** How much an event matters: what it says itself, else High for failures and Normal for all others. */
export function priorityOf({ type, data }: Pick<Happened, 'type' | 'data'>): MessagePriority {
  const own = textAt(data, 'priority');
  if (own !== null && Object.hasOwn(rankOf, own)) return own as MessagePriority;
  const known = byUrgency[textAt(data, 'urgencyId') ?? ''] ?? byLevel[textAt(data, 'level') ?? ''];
  if (known !== undefined) return known;
  const failed =
    /\.failed$/.test(type) ||
    (type.startsWith('run.') && ['Failed', 'TimedOut'].includes(textAt(data, 'status') ?? ''));
  return failed ? 'High' : 'Normal';
}

export interface Told {
  title: string;
  text: string;
  /** Path of the dashboard. */
  path: string | null;
}

const mostText = 3000;

/** An event in words. */
export function toldOf({ type, data }: Pick<Happened, 'type' | 'data'>): Told {
  const id = textAt(data, 'id');
  if (type.startsWith('escalation.')) return escalationTold(type, data);
  if (type.startsWith('run.') && textAt(data, 'goal') !== null)
    return {
      title: `Run ${id}: ${textAt(data, 'status')}`,
      text: lines([textAt(data, 'goal'), textAt(data, 'errorMessage') ?? textAt(data, 'statusReason')]),
      path: `/runs/${id}`,
    };
  if (type.startsWith('message.') && textAt(data, 'content') !== null)
    return {
      title: `Message from ${textAt(data, 'senderName')}`,
      text: lines([textAt(data, 'content')]),
      path: '/inbox',
    };
  if (type === 'notification')
    return { title: textAt(data, 'title') ?? type, text: lines([textAt(data, 'body')]), path: textAt(data, 'url') };
  const named = textAt(data, 'title') ?? textAt(data, 'name') ?? textAt(data, 'key');
  return {
    title: wordsOf(type),
    text: named === null ? fieldsOf(data) : lines([`**${named}**`, fieldsOf(data)]),
    path: null,
  };
}

function escalationTold(type: string, data: unknown): Told {
  const [id, runId] = [textAt(data, 'id'), textAt(data, 'runId')];
  const whose = runId === null ? 'A chat' : `Run ${runId}`;
  const path = '/escalations';
  if (type === 'escalation.resolved') {
    const by = textAt(data, 'decidedBy');
    const how = textAt(data, 'decision') ?? textAt(data, 'status');
    return {
      title: `Question ${id} is decided`,
      text: lines([`**${how}**${by === null ? '' : `, by ${by}`}`, textAt(data, 'decisionNotes')]),
      path,
    };
  }
  const options = optionsOf(textAt(data, 'optionsJson'));
  const recommended = textAt(data, 'supervisorRecommendation');
  const until = textAt(data, 'timeoutAtUtc');
  return {
    title: `${whose} asks for a decision (question ${id})`,
    text: lines([
      textAt(data, 'situation'),
      options.map((one, index) => `${index + 1}. ${one}`).join('\n'),
      recommended && `Recommended: ${recommended}`,
      until && `Answer until ${until}.`,
    ]),
    path,
  };
}

const lines = (parts: readonly (string | null | undefined)[]): string => {
  const text = parts.filter(Boolean).join('\n\n');
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text;
};

/** The question of an escalation, as a channel can put it; null for one that waits for nobody. */
export function askedOf({ type, data }: Pick<Happened, 'type' | 'data'>): Asked | null {
  if (type !== 'escalation.raised' && type !== 'escalation.updated') return null;
  const [id, status] = [at(data, 'id'), textAt(data, 'status')];
  if (typeof id !== 'number' || !['Open', 'SupervisorReview', 'AwaitingHuman'].includes(status ?? '')) return null;
  const isApproval = textAt(data, 'kind') === 'toolApproval';
  const options = isApproval ? ['approve', 'reject'] : optionsOf(textAt(data, 'optionsJson'));
  return {
    escalationId: id,
    round: Number(at(data, 'revisionRoundsUsed') ?? 0),
    options: options.slice(0, 20),
    isApproval,
  };
}

/** Options by their names; none where the text is no list of them. */
function optionsOf(json: string | null): string[] {
  const options = json === null ? null : jsonOr(json);
  if (typeof options !== 'object' || options === null) return [];
  return Object.values(options).flatMap((one: unknown) => {
    const name = typeof one === 'string' ? one : (textAt(one, 'label') ?? textAt(one, 'title'));
    return name === null || name.trim() === '' ? [] : [name.trim()];
  });
}

const wordsOf = (type: string): string => {
  const words = type.replaceAll('.', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** The first plain fields of a payload. */
function fieldsOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return '';
  const plain = Object.entries(data).filter(
    ([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '',
  );
  const shown = plain.filter(([name]) => name !== 'guid').slice(0, 8);
  return shown.map(([name, value]) => `- ${name}: ${String(value).replaceAll(/\s+/g, ' ').slice(0, 200)}`).join('\n');
}
