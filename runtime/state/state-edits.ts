// Edits of a run's state before a fork goes on from it: pure over the messages of its log.
import { Fault } from '../../src/kernel/fault.ts';
import { jsonObject } from '../../src/kernel/json-object.ts';
import type { LogMessage } from '../message-log.ts';
import type { ModelMessage } from '../model.ts';

/** Edits of the state that a fork begins with; an absent field keeps what stands there. */
export interface StateEdits {
  /** Summary of the turns before the first message. */
  summary?: string | null | undefined;
  /** New texts, by index of the message. */
  messages?: { index: number; text: string }[] | null | undefined;
  /** New arguments of calls, by index of the message that makes them and id of the call. Their results stay. */
  calls?: { index: number; callId: string; argumentsJson: string }[] | null | undefined;
  /** Index of the first message that is left out, together with all after it. */
  dropFrom?: number | null | undefined;
}

/** One edited text, shortened, for the record of the fork. */
export interface EditedText {
  index: number;
  role: ModelMessage['role'];
  /** Of a result, or of the call whose arguments were edited. */
  toolName: string | null;
  before: string;
  after: string;
}

export interface EditedState {
  entries: LogMessage[];
  edited: EditedText[];
  /** Number of messages that were left out. */
  dropped: number;
}

/** Limit in characters of the texts in the record of a fork. */
const shownChars = 1000;

export const shortened = (text: string) => (text.length > shownChars ? `${text.slice(0, shownChars)}…` : text);

const calls = (message: ModelMessage | undefined) =>
  message?.role === 'assistant' && message.toolCalls && message.toolCalls.length > 0 ? message.toolCalls : null;

/** Text of a message, without its images and files. */
export function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The messages without a last answer whose calls have no results: nobody else can make those calls. */
export const withoutOpenCalls = (entries: readonly LogMessage[]): LogMessage[] =>
  calls(entries.at(-1)?.message) ? entries.slice(0, -1) : [...entries];

/** The state after its edits. Fault VALIDATION_FAILED where an edit names no message, or would part calls and results. */
export function editState(entries: readonly LogMessage[], edits: StateEdits): EditedState {
  const kept = edits.dropFrom == null ? [...entries] : keptBefore(entries, edits.dropFrom);
  const edited: EditedText[] = [];
  const seen = new Set<number>();
  for (const { index, text } of edits.messages ?? []) {
    const at = kept.findIndex((entry) => entry.index === index);
    if (at < 0) throw noSuchMessage(index, entries, kept);
    if (seen.has(index))
      throw new Fault('VALIDATION_FAILED', `Message ${index} is edited twice.`, { hint: 'Send each message once.' });
    seen.add(index);
    const entry = kept[at]!;
    const message = withText(entry, text);
    const toolName = message.role === 'tool' ? message.toolName : null;
    const before = shortened(textOf(entry.message));
    edited.push({ index, role: message.role, toolName, before, after: shortened(text) });
    kept[at] = { ...entry, message };
  }
  const seenCalls = new Set<string>();
  for (const call of edits.calls ?? []) {
    const at = kept.findIndex((entry) => entry.index === call.index);
    if (at < 0) throw noSuchMessage(call.index, entries, kept);
    const key = `${call.index} ${call.callId}`;
    if (seenCalls.has(key))
      throw new Fault('VALIDATION_FAILED', `Call ${call.callId} is edited twice.`, { hint: 'Send each call once.' });
    seenCalls.add(key);
    const { message, text } = withArguments(kept[at]!, call);
    edited.push(text);
    kept[at] = { ...kept[at]!, message };
  }
  return { entries: kept, edited, dropped: entries.length - kept.length };
}

function keptBefore(entries: readonly LogMessage[], dropFrom: number): LogMessage[] {
  if (!entries.some(({ index }) => index === dropFrom)) throw noSuchMessage(dropFrom, entries, entries);
  const kept = entries.filter(({ index }) => index < dropFrom);
  const asked = kept.findLast((entry) => entry.message.role !== 'tool');
  const missing = calls(asked?.message)?.filter(
    ({ id }) => !kept.some(({ message }) => message.role === 'tool' && message.toolCallId === id),
  );
  if (!asked || !missing?.length) return kept;
  const next = entries.find(({ index, message }) => index > asked.index && message.role !== 'tool');
  throw new Fault(
    'VALIDATION_FAILED',
    `Message ${asked.index} calls ${missing.map(({ name }) => name).join(', ')}, but a result would be left out.`,
    {
      hint: `Give dropFrom ${asked.index} to leave out the calls as well${next ? `, or ${next.index} to keep the results` : ''}.`,
    },
  );
}

function withText({ index, message }: LogMessage, text: string): ModelMessage {
  if (text.trim() === '' && message.role !== 'tool' && !calls(message))
    throw new Fault('VALIDATION_FAILED', `Message ${index} would have no text.`, {
      hint: `Give it a text, or leave it out with dropFrom ${index}.`,
    });
  switch (message.role) {
    case 'assistant': {
      // What the provider keeps of its own answer, its reasoning among it, would speak against the new text.
      const { reasoning: _r, providerState: _p, ...own } = message;
      return { ...own, content: text };
    }
    case 'user': {
      if (typeof message.content === 'string') return { ...message, content: text };
      const others = message.content.filter((part) => part.type !== 'text');
      return { ...message, content: [{ type: 'text', text }, ...others] };
    }
    default:
      return { ...message, content: text };
  }
}

type CallEdit = NonNullable<StateEdits['calls']>[number];

function withArguments({ index, message }: LogMessage, { callId, argumentsJson }: CallEdit) {
  const all = calls(message) ?? [];
  const call = all.find(({ id }) => id === callId);
  if (!call || message.role !== 'assistant')
    throw new Fault('VALIDATION_FAILED', `Message ${index} makes no call ${callId}.`, {
      hint:
        all.length > 0 ? `Its calls are ${all.map(({ id }) => id).join(', ')}.` : 'Name a message that makes calls.',
    });
  if (!jsonObject(argumentsJson))
    throw new Fault('VALIDATION_FAILED', `The arguments of call ${callId} are no JSON object.`, {
      hint: 'Send them as text, such as {"path":"a.txt"}.',
    });
  // What the provider keeps of its own answer would speak against the new arguments.
  const { reasoning: _r, providerState: _p, ...own } = message;
  const toolCalls = all.map((one) => (one === call ? { ...one, argumentsJson } : one));
  const before = shortened(call.argumentsJson);
  const text = { index, role: message.role, toolName: call.name, before, after: shortened(argumentsJson) };
  return { message: { ...own, toolCalls }, text };
}

function noSuchMessage(index: number, entries: readonly LogMessage[], kept: readonly LogMessage[]): Fault {
  const [first, last] = [kept[0], kept.at(-1)];
  const isDropped = entries.some((entry) => entry.index === index);
  return new Fault(
    'VALIDATION_FAILED',
    isDropped ? `Message ${index} is left out by dropFrom.` : `This state has no message ${index}.`,
    {
      hint:
        first && last
          ? `Its messages are ${first.index} to ${last.index}; see GET /api/agent/runs/{id}/state.`
          : 'It has no messages: change the goal, or give an instruction with message.',
    },
  );
}
