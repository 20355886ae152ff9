// An agent that offers tools to the runs of its identity over a WebSocket, and comes back when the connection is lost.
import { WebSocket } from 'ws';

export interface AgentTool {
  description: string;
  inputSchema: object;
  /** What a run gets; a call that is made again after a loss has the same idempotency key. */
  handle(input: Record<string, unknown>, call: { runId: number; idempotencyKey: string }): Promise<string>;
}

/** Connects and serves until `stop`. */
export function serveTools({ url, key, tools }: { url: string; key: string; tools: Record<string, AgentTool> }) {
  let socket: WebSocket;
  let stopped = false;
  let next = 1;
  const answers = new Map<string, Promise<object>>();
  const send = (frame: object) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(frame));

  const work = async (
    name: string,
    data: { arguments: Record<string, unknown>; runId: number; idempotencyKey: string },
  ) => {
    const tool = tools[name];
    if (!tool) return { content: `There is no tool ${name}.`, isError: true };
    return tool.handle(data.arguments, data).then(
      (content) => ({ content }),
      (error: unknown) => ({ content: String(error), isError: true }),
    );
  };

  const connect = (ready?: () => void) => {
    socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/ws`, { headers: { authorization: `Bearer ${key}` } });
    socket.on('message', async (text) => {
      const frame = JSON.parse(String(text));
      if (frame.op === 'Hello') {
        const offered = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
          name,
          description,
          inputSchema,
        }));
        send({ op: 'Call', id: 'register', type: 'tools.register', data: { tools: offered } });
      } else if (frame.op === 'Ack' && frame.id === 'register') ready?.();
      else if (frame.op === 'Call') {
        // The same call may come again after a reconnect: it is worked on once.
        const { idempotencyKey } = frame.data;
        if (!answers.has(idempotencyKey)) answers.set(idempotencyKey, work(frame.type, frame.data));
        send({ op: 'Ack', id: frame.id, data: await answers.get(idempotencyKey) });
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => stopped || setTimeout(connect, 200));
  };

  return {
    ready: new Promise<void>((resolve) => connect(resolve)),
    /** Says how far a run is; people who watch it see this at once. */
    report: (runId: number, message: string) =>
      send({ op: 'Publish', id: `report-${next++}`, topic: `run:${runId}`, type: 'run.event', data: { message } }),
    /** Loses the connection, for the sake of the example. */
    lose: () => socket.terminate(),
    stop: () => {
      stopped = true;
      socket.close();
    },
  };
}
