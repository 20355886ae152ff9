// What a server wants before its tool goes on: a form filled in, an address opened, a model's answer, the folders of a run.
import type { CreateMessageResult, InputResponse, Root } from '@modelcontextprotocol/client';
import { Fault } from '../../kernel/fault.ts';
import { type Form, formOf } from './questions.ts';

export type Wish =
  | { kind: 'form'; form: Form }
  | { kind: 'link'; message: string; url: string }
  | { kind: 'model'; prompt: Prompt }
  | { kind: 'roots' };

/** What a server asks a model (sampling), of texts alone. */
export interface Prompt {
  system: string | null;
  messages: readonly { role: 'user' | 'assistant'; text: string }[];
  maxTokens: number;
}

/** What a model answered. */
export interface ModelWords {
  text: string;
  modelId: string;
}

/** What a call of a server's tool can be given on its way. */
export interface CallHost {
  /** Absent where this server may not ask models. @throws Fault where the run cannot afford it */
  model?(prompt: Prompt): Promise<ModelWords>;
  /** Whether a person looks at each prompt for a model first. */
  asksForModels: boolean;
  roots(): Promise<Root[]>;
}

const messageChars = 4000;
const mostChars = 100_000;
const mostTokens = 8192;

/** Null for what is not offered here, or is too large. */
export function wishOf({ method, params }: { method: string; params?: unknown }): Wish | null {
  const asked = (params ?? {}) as Record<string, unknown>;
  if (method === 'roots/list') return { kind: 'roots' };
  if (method === 'sampling/createMessage') {
    const prompt = promptOf(asked);
    return prompt && { kind: 'model', prompt };
  }
  if (method !== 'elicitation/create') return null;
  if (asked.mode === 'url') return linkOf(asked);
  const form = formOf(asked as never);
  return form && { kind: 'form', form };
}

export function linkOf({ message, url }: { message?: unknown; url?: unknown }): Extract<Wish, { kind: 'link' }> | null {
  if (typeof url !== 'string' || url.length > 2000 || !URL.canParse(url)) return null;
  const parsed = new URL(url);
  // An address with a name before its @ may look like another host: it is not shown.
  if (!/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') return null;
  return { kind: 'link', message: String(message ?? '').slice(0, messageChars), url: parsed.href };
}

/** Null where it holds anything but texts. */
export function promptOf({ messages, systemPrompt, maxTokens }: Record<string, unknown>): Prompt | null {
  const read = (Array.isArray(messages) ? messages : []).map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    text: textIn(content),
  }));
  const system = typeof systemPrompt === 'string' ? systemPrompt : null;
  const chars = read.reduce((sum, { text }) => sum + (text?.length ?? 0), system?.length ?? 0);
  if (read.length === 0 || chars > mostChars || read.some(({ text }) => text === null)) return null;
  const wanted = typeof maxTokens === 'number' && maxTokens > 0 ? Math.ceil(maxTokens) : mostTokens;
  return { system, messages: read as Prompt['messages'], maxTokens: Math.min(wanted, mostTokens) };
}

function textIn(content: unknown): string | null {
  const parts = (Array.isArray(content) ? content : [content]) as { type?: unknown; text?: unknown }[];
  const texts = parts.map((part) => (part?.type === 'text' && typeof part.text === 'string' ? part.text : null));
  return texts.includes(null) ? null : texts.join('\n');
}

export const messageOf = ({ text, modelId }: ModelWords): CreateMessageResult => ({
  ...{ role: 'assistant', model: modelId, stopReason: 'endTurn' },
  content: { type: 'text', text },
});

/** What needs no person. @throws Fault where it may not be had */
export async function fulfilled(wish: Wish, host: CallHost): Promise<InputResponse> {
  if (wish.kind === 'roots') return { roots: await host.roots() };
  if (wish.kind === 'model') {
    if (!host.model) throw notOffered('sampling/createMessage');
    return messageOf(await host.model(wish.prompt));
  }
  throw new Error(`${wish.kind} needs a person`);
}

export const notOffered = (what: string) =>
  new Fault('MCP_ERROR', `The server asked for ${what.slice(0, 100)}, which it was not offered here.`, {
    hint: 'Forms of at most 30 fields, http addresses and folders are answered; models only by texts, and where PUT /api/connectors/{id}/mcp/settings says so.',
  });
