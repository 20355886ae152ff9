// Watches a chat's replies as a client does: over the answer of the POST or the resume, with its cursor.
import { readSse } from '../../src/client/index.ts';
import type { ChatStreamEventDto } from '../../src/groups/chat/dto.ts';

export interface ChatServer {
  url: string;
  key: string;
}

export interface ChatFrame {
  id: string;
  event: string;
  data: ChatStreamEventDto;
}

/** Opens a chat stream: `POST …/chat/stream` with a body, `GET …/stream` without. */
export async function openChatStream(
  { url, key }: ChatServer,
  sessionId: number,
  options: {
    body?: object;
    lastEventId?: string | undefined;
    signal?: AbortSignal;
    headers?: Record<string, string>;
  } = {},
): Promise<Response> {
  const { body, lastEventId, signal, headers } = options;
  return fetch(`${url}/api/chat/sessions/${sessionId}/${body ? 'chat/' : ''}stream`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...(body && { 'content-type': 'application/json' }),
      ...(lastEventId && { 'last-event-id': lastEventId }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

/** The frames of a chat stream as they come. */
export async function* framesOf(response: Response): AsyncGenerator<ChatFrame> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  for await (const { id, event, data } of readSse(response)) {
    if (data) yield { id: id ?? '', event: event ?? '', data: JSON.parse(data) as ChatStreamEventDto };
  }
}

/** All frames of a chat stream. */
export async function allFrames(response: Response | Promise<Response>): Promise<ChatFrame[]> {
  const frames: ChatFrame[] = [];
  for await (const frame of framesOf(await response)) frames.push(frame);
  return frames;
}

/** The words that frames say: Started holds what was said before, deltas add to it. */
export function textOf(frames: readonly ChatFrame[]): string {
  let text = '';
  for (const { data } of frames) {
    if (data.type === 'Started') text = data.message?.content ?? '';
    else if (data.type === 'ContentDelta') text += data.delta;
  }
  return text;
}
