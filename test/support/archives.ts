// Archives for tests of imports, made from the documented shapes of the providers.
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** Contents by name; what is no text or bytes is written as JSON. */
export type Contents = Readonly<Record<string, unknown>>;

const bytesOf = (content: unknown): Buffer =>
  Buffer.isBuffer(content) ? content : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));

export function zipOf(contents: Contents): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(contents)) zip.addBuffer(bytesOf(content), name);
  zip.end();
  return buffer(zip.outputStream as Readable);
}

/** A ZIP whose files are made while they are packed. */
export async function writeZip(
  path: string,
  contents: Readonly<Record<string, () => Readable>>,
  compress = true,
): Promise<void> {
  const zip = new ZipFile();
  for (const [name, make] of Object.entries(contents))
    zip.addReadStreamLazy(name, { compress }, (done) => done(null, make()));
  zip.end();
  await pipeline(zip.outputStream as Readable, createWriteStream(path));
}

interface Turn {
  id?: string;
  parent?: string | null;
  role: string;
  text?: string;
  content?: object;
  metadata?: object;
  recipient?: string;
}

/** A conversation of ChatGPT; turns without a parent follow each other. */
export function chatGptConversation(
  id: string,
  title: string | null,
  turns: readonly Turn[],
  current?: string,
): object {
  const mapping: Record<string, object> = { root: { id: 'root', parent: null, children: [], message: null } };
  let before = 'root';
  turns.forEach((turn, index) => {
    const nodeId = turn.id ?? `${id}-${index}`;
    mapping[nodeId] = {
      id: nodeId,
      parent: turn.parent === undefined ? before : turn.parent,
      children: [],
      message: {
        author: { role: turn.role, name: null },
        create_time: 1_700_000_000.25 + index,
        content: turn.content ?? { content_type: 'text', parts: [turn.text ?? ''] },
        status: 'finished_successfully',
        weight: 1,
        recipient: turn.recipient ?? 'all',
        metadata: { model_slug: 'gpt-5', ...turn.metadata },
      },
    };
    before = nodeId;
  });
  return {
    id,
    conversation_id: id,
    title,
    create_time: 1_700_000_000,
    update_time: 1_700_000_100,
    mapping,
    current_node: current ?? before,
  };
}

export const spoken = (...texts: string[]): Turn[] =>
  texts.map((text, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', text }));

/** A conversation of Claude. */
export const claudeConversation = (
  uuid: string,
  name: string,
  texts: readonly string[],
  more: object = {},
): object => ({
  uuid,
  name,
  created_at: '2026-01-05T10:00:00.000Z',
  updated_at: '2026-01-05T11:00:00.000Z',
  chat_messages: texts.map((text, index) => ({
    uuid: `${uuid}-${index}`,
    sender: index % 2 === 0 ? 'human' : 'assistant',
    text,
    content: [{ type: 'text', text }],
    created_at: `2026-01-05T10:0${index % 10}:00.000Z`,
    attachments: [],
    files: [],
  })),
  ...more,
});
