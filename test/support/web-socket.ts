// A WebSocket for tests: commands with their answers, frames, and how it ended.
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
type Frame = any;

export interface TestSocket {
  raw: WebSocket;
  frames: Frame[];
  /** Sends a command (or text as it is) and resolves with the next frame that `matches`, by default an answer. */
  command(command: object | string, matches?: (frame: Frame) => boolean): Promise<Frame>;
  /** Resolves with the first frame, past or to come, that matches. */
  frame(matches: (frame: Frame) => boolean): Promise<Frame>;
  closed: Promise<{ code: number; reason: string }>;
  end(): void;
}

/** Connects and resolves when the server has said Hello (or refused by closing). */
export async function openSocket(
  baseUrl: string,
  headers: Record<string, string> = {},
  query = '',
): Promise<TestSocket> {
  const raw = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/api/ws${query}`, { headers });
  const frames: Frame[] = [];
  const waiting = new Set<(frame: Frame) => void>();
  raw.on('message', (data) => {
    const frame = JSON.parse(String(data));
    frames.push(frame);
    for (const wait of [...waiting]) wait(frame);
  });
  raw.on('error', () => {});
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    raw.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  const next = (matches: (frame: Frame) => boolean) =>
    new Promise<Frame>((resolve, reject) => {
      const wait = (frame: Frame) => {
        if (!matches(frame)) return;
        waiting.delete(wait);
        resolve(frame);
      };
      waiting.add(wait);
      void closed.then(({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`)));
    });
  const socket: TestSocket = {
    raw,
    frames,
    closed,
    command: (command, matches = (frame) => frame.op !== undefined && frame.op !== 'Hello') => {
      const answer = next(matches);
      raw.send(typeof command === 'string' ? command : JSON.stringify(command));
      return answer;
    },
    frame: async (matches) => frames.find(matches) ?? next(matches),
    end: () => raw.terminate(),
  };
  await Promise.race([socket.frame((frame) => frame.op === 'Hello' || frame.op === 'Error'), closed]).catch(() => {});
  return socket;
}
