// A whole server whose model is the fake one, each run playing the part that the first word of its goal names.
import { vi } from 'vitest';
import type { AgentEscalationDto, AgentRunDto } from '../../src/client/index.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { environmentOf, type FakeReply, type FakeServer, type SeenRequest, startFakeServer } from './openai-server.ts';
import { startTestServer, type TestServer } from './test-server.ts';

/** What a run says in one turn; `calls` are tools by name with their arguments. */
export type Line = FakeReply & { calls?: [name: string, input?: object][] };

export interface Scene {
  goal: string;
  system: string;
  /** Answers that the run has given so far. */
  turn: number;
  /** Results of its tools, the newest last. */
  results: string[];
  /** What it was told besides: messages, guidance, results of children. */
  told: string[];
}

/** Lines by turn, of which the last is said for ever, or what to say in a scene. */
export type Part = Line[] | ((scene: Scene) => Line);

export interface Stage {
  model: FakeServer;
  server: TestServer;
  /** Gives parts to goals by their first word, in lower case. */
  cast(parts: Record<string, Part>): void;
  /** Scenes of the requests that reached the model, by first word of the goal. */
  scenes(word: string): Scene[];
  start(goal: string, more?: object): Promise<AgentRunDto>;
  /** The run when it has ended. */
  end(id: number): Promise<AgentRunDto>;
  /** The run when it has this status. */
  until(id: number, status: AgentRunDto['status']): Promise<AgentRunDto>;
  /** The one open escalation of a run. */
  question(runId: number): Promise<AgentEscalationDto>;
  /** The first event of this type in a topic, from its beginning. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  heard(topic: string, type: string): Promise<{ data: any }>;
  /** Types of the events in a run's log. */
  log(runId: number): Promise<string[]>;
  close(): Promise<void>;
}

/** How long what must happen may take: a loaded machine is no fault. */
export const patience = { timeout: 60_000, interval: 20 };

export async function openStage(environment: Record<string, string> = {}, clock?: Clock): Promise<Stage> {
  const model = await startFakeServer();
  const server = await startTestServer({ ...environmentOf(model), ...environment }, null, clock);
  const parts = new Map<string, Part>();
  model.otherwise = (request) => {
    const scene = sceneOf(request);
    const part = parts.get(wordOf(scene.goal));
    if (!part) return { text: [`Nobody plays ${wordOf(scene.goal)}.`] };
    const line = typeof part === 'function' ? part(scene) : part[Math.min(scene.turn, part.length - 1)];
    return toReply(line ?? {}, scene.turn);
  };
  const get = (id: number) => server.client.agentRuns.get({ params: { id } });
  return {
    model,
    server,
    cast: (more) => {
      for (const [word, part] of Object.entries(more)) parts.set(word, part);
    },
    scenes: (word) => model.requests.map(sceneOf).filter((scene) => wordOf(scene.goal) === word),
    start: (goal, more = {}) => server.client.agentRuns.create({ body: { goal, autoStart: true, ...more } }),
    end: async (id) => {
      const run = await server.client.agentRuns.wait({ params: { id }, query: { timeoutMs: patience.timeout } });
      if (run.completedAtUtc === null) throw new Error(`run ${id} is still ${run.status}`);
      return run;
    },
    until: (id, status) =>
      vi.waitFor(async () => {
        const run = await get(id);
        if (run.status !== status) throw new Error(`run ${id} is ${run.status} (${run.failureReason}), not ${status}`);
        return run;
      }, patience),
    question: (runId) =>
      vi.waitFor(async () => {
        const query = { runId, openOnly: true };
        const { items } = await server.client.agentEscalations.list({ query });
        const run = await get(runId);
        if (items.length !== 1 || run.status !== 'WaitingForDecision')
          throw new Error(`run ${runId} is ${run.status} with ${items.length} questions`);
        return items[0] as AgentEscalationDto;
      }, patience),
    heard: async (topic, type) => {
      const signal = AbortSignal.timeout(patience.timeout);
      for await (const event of server.client.stream(topic, { cursor: '0', signal }))
        if (event.type === type) return event;
      throw new Error(`${topic} had no ${type}`);
    },
    log: async (runId) => {
      const events = await server.client.agentRuns.events({ params: { runId }, query: { limit: 1000 } });
      return events.map((event) => event.type);
    },
    close: async () => {
      model.release();
      await server.close();
      await model.close();
    },
  };
}

const wordOf = (goal: string) => goal.split(/\s/)[0]?.toLowerCase() ?? '';

/** What a run sees when it asks for its next line. */
export function sceneOf({ body }: SeenRequest): Scene {
  const messages: { role: string; content: unknown }[] = body.messages;
  const of = (role: string) => messages.filter((one) => one.role === role).map((one) => textOf(one.content));
  const [goal = '', ...told] = of('user');
  return {
    goal,
    system: of('system')[0] ?? '',
    turn: of('assistant').length,
    results: of('tool'),
    told,
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : '';
}

/** A line as the model server sends it. */
export function toReply({ calls, ...reply }: Line, turn: number): FakeReply {
  if (!calls) return reply;
  const toolCalls = calls.map(([name, input = {}], index) => ({
    id: `call_${turn}_${index}`,
    name,
    arguments: [JSON.stringify(input)],
  }));
  return { ...reply, toolCalls };
}
