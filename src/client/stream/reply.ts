// Reads the reply of a chat to its end, whatever the connection does meanwhile.
import type { ChatStreamEventDto } from '../answers.ts';
import { ApiError, isAway } from '../api-error.ts';
import { readSse } from './sse.ts';

export interface ReplyWays {
  /** Sends the message, or joins a reply. It is called again until it is answered, so a message needs a key. */
  open: () => Promise<Response>;
  /** Joins the reply after an event, by its cursor; from the beginning without one. */
  rejoin: (cursor: string | null) => Promise<Response>;
  take: (event: ChatStreamEventDto) => void | Promise<void>;
  /** Waits after a connection that broke; answers false, or rejects, when no other one shall be tried. */
  again: (isAnswered: boolean, error: unknown) => Promise<boolean>;
}

/**
 * Answers whether the reply's last event came: a reply that ended meanwhile is over before it is joined again. Rejects
 * with the ApiError of a server that refuses the message, and with what `take` throws.
 */
export async function readReply({ open, rejoin, take, again }: ReplyWays): Promise<boolean> {
  let cursor: string | null = null;
  let isAnswered = false;
  for (;;) {
    let events = 0;
    let isOver = false;
    let taking = false;
    let broken: unknown;
    try {
      const response: Response = isAnswered ? await rejoin(cursor) : await open();
      isAnswered = true;
      for await (const { id, data } of readSse(response)) {
        events += 1;
        if (id) cursor = id;
        const event = JSON.parse(data) as ChatStreamEventDto;
        taking = true;
        await take(event);
        taking = false;
        isOver ||= event.type === 'Completed' || event.type === 'Error';
      }
      // Nothing is being made: the reply was over before it was joined.
      if (isOver || events === 0) return isOver;
    } catch (error) {
      if (taking) throw error;
      if (isOver) return true;
      if (error instanceof ApiError && error.status >= 400 && !isAway(error)) {
        if (!isAnswered) throw error;
        return false;
      }
      broken = error;
    }
    if (!(await again(isAnswered, broken))) return false;
  }
}
