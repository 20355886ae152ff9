import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelMessage, ModelRequest } from '../../../runtime/model.ts';
import { eventsOf, type Gathered, gather, modelRequest } from '../../../test/support/model-calls.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createModels } from '../create.ts';
import { builtInScenarios } from './built-in.ts';
import { Scenario, type ScenarioInput } from './scenario.ts';

let clock: SimulatedClock;
let folder: string;
beforeEach(async () => {
  clock = new SimulatedClock();
  folder = await mkdtemp(join(tmpdir(), 'scenarios-'));
});
afterEach(() => rm(folder, { recursive: true }));

const models = (scenarios: Record<string, ScenarioInput> = {}) =>
  createModels({ settings: { scenariosDir: folder }, clock, logger: silentLogger, scenarios, random: () => 0.5 });

/** Plays one call, moving the clock over every delay. */
async function play(gateway: ReturnType<typeof models>, request: Partial<ModelRequest>): Promise<Gathered> {
  let done = false;
  const answer = gather(gateway.stream(modelRequest({ modelId: 'scripted:test', ...request }))).finally(() => {
    done = true;
  });
  // Delays of scenarios are short; what is due later are the gateway's own timeouts.
  while (!done) await clock.advance((clock.nextDue() ?? 0) < 60_000 ? (clock.nextDue() ?? 0) : 0);
  return answer;
}

const tools = (...names: string[]) => names.map((name) => ({ name, description: '', inputSchema: { type: 'object' } }));

describe('a scenario', () => {
  const scenario: ScenarioInput = {
    notice: false,
    chunkSize: 4,
    turns: [
      { reasoning: 'hmm', text: 'I look.', toolCalls: [{ name: 'look', arguments: { at: '{{user}}' } }] },
      { text: 'skipped', toolCalls: [{ name: 'shell_exec', arguments: {} }] },
      { text: 'It is {{tool.look.colour}}; {{turn}} answers so far.', usage: { promptTokens: 7, completionTokens: 3 } },
    ],
  };

  it('goes on from the conversation, whoever asks', async () => {
    const first = await play(models({ test: scenario }), { tools: tools('look') });
    const { call } = eventsOf(first, 'tool-call')[0]!;
    expect(call).toEqual({ id: 'call_1_1', name: 'look', argumentsJson: '{"at":"Hi"}' });
    expect(first.events.at(-1)).toMatchObject({ reason: 'tool-calls', modelId: 'scripted:test' });

    const messages: ModelMessage[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: first.text, toolCalls: [call] },
      { role: 'tool', toolCallId: call.id, toolName: 'look', content: '{"colour":"blue"}' },
    ];
    const second = await play(models({ test: scenario }), { tools: tools('look'), messages });
    expect(second.text).toBe('It is blue; 1 answers so far.');
    expect(second.events.at(-1)).toMatchObject({ reason: 'stop', usage: { promptTokens: 7, completionTokens: 3 } });
  });

  it('is the same every time', async () => {
    const once = await play(models({ test: scenario }), { tools: tools('look') });
    const again = await play(models({ test: scenario }), { tools: tools('look') });
    expect(again.events).toEqual(once.events);
  });

  it('streams in chunks, one delay each', async () => {
    const started = clock.now();
    const answer = await play(
      models({ test: { turns: [{ text: 'abcdefgh🚀' }], chunkSize: 3, chunkDelayMs: 10, notice: false } }),
      {},
    );
    expect(eventsOf(answer, 'text').map(({ delta }) => delta)).toEqual(['abc', 'def', 'gh🚀']);
    expect(clock.now() - started).toBe(30);
  });

  it('says that no model was asked', async () => {
    expect((await play(models({ test: { turns: [{ text: 'Hello' }] } }), {})).text).toMatch(
      /^Hello\n\n.*Scripted answer from `scripted:test`/,
    );
  });

  it('can be broken as a provider is, for some tries or for ever', async () => {
    const error = { status: 503, times: 2 };
    const answer = await play(models({ test: { turns: [{ text: 'at last', error }], notice: false } }), {});
    expect(eventsOf(answer, 'retry')).toHaveLength(2);
    expect(answer.text).toBe('at last');
    const cut = await play(models({ test: { turns: [{ text: 'abcdef', error: { afterCharacters: 3 } }] } }), {});
    expect(cut.text).toBe('abc');
    expect(cut.error).toMatchObject({ code: 'PROVIDER_ERROR' });
  });

  it('may send arguments that are no JSON', async () => {
    const turns = [{ toolCalls: [{ name: 'look', arguments: '{"at": ' }] }];
    const answer = await play(models({ test: { turns } }), { tools: tools('look') });
    expect(eventsOf(answer, 'tool-call')[0]?.call.argumentsJson).toBe('{"at": ');
  });

  it('stops when it is cancelled in the middle of a delay', async () => {
    const controller = new AbortController();
    const stream = models({ test: { turns: [{ text: 'x' }], delayMs: 60_000 } }).stream(
      modelRequest({ modelId: 'scripted:test', signal: controller.signal }),
    );
    const answer = gather(stream);
    await clock.advance(1);
    controller.abort(new Error('enough'));
    expect((await answer).error).toMatchObject({ message: 'enough' });
  });
});

describe('scenarios in a folder', () => {
  it.each([
    ['own.yaml', 'turns:\n  - text: from yaml\nnotice: false\n', 'from yaml'],
    ['own.json', '{"turns":[{"text":"from json"}],"notice":false}', 'from json'],
  ])('%s is found', async (file, content, expected) => {
    await writeFile(join(folder, file), content);
    expect((await play(models(), { modelId: 'scripted:own' })).text).toBe(expected);
  });

  it('come before built-in ones of the same name', async () => {
    await writeFile(join(folder, 'demo.yaml'), 'turns: [{ text: mine }]\nnotice: false\n');
    expect((await play(models(), { modelId: 'scripted:demo' })).text).toBe('mine');
  });

  it('are refused with the place of the mistake', async () => {
    await writeFile(join(folder, 'wrong.yaml'), 'turns: [{ txet: oops }]\n');
    const { error } = await play(models(), { modelId: 'scripted:wrong' });
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining('turns[0]') });
  });

  it('are listed when a name is unknown, and no name leaves the folder', async () => {
    await writeFile(join(folder, 'mine.yml'), 'turns: [{ text: x }]\n');
    for (const modelId of ['scripted:nobody', 'scripted:../../etc/passwd', 'scripted:constructor']) {
      const { error } = await play(models(), { modelId });
      expect(error).toMatchObject({ code: 'NOT_CONFIGURED', hint: expect.stringContaining('scripted:mine') });
    }
  });
});

describe('the demo', () => {
  /** Plays a scenario to its end, answering every tool call. */
  async function run(name: string, offered: string[]): Promise<{ called: string[]; text: string }> {
    const gateway = models();
    const messages: ModelMessage[] = [{ role: 'user', content: 'Show me' }];
    const called: string[] = [];
    for (let turn = 0; turn < 30; turn++) {
      const answer = await play(gateway, { modelId: `scripted:${name}`, messages, tools: tools(...offered) });
      expect(answer.error).toBeNull();
      const calls = eventsOf(answer, 'tool-call').map(({ call }) => call);
      called.push(...calls.map(({ name }) => name));
      messages.push({ role: 'assistant', content: answer.text, toolCalls: calls });
      for (const { id, name } of calls)
        messages.push({ role: 'tool', toolCallId: id, toolName: name, content: '{"runId":5}' });
      if (calls.length === 0 || called.includes('run_complete')) return { called, text: answer.text };
    }
    throw new Error('it does not end');
  }

  const all = [
    'run_plan',
    'run_spawn',
    'run_join',
    'run_note',
    'run_escalate',
    'run_complete',
    'shell_exec',
    'file_write',
  ];

  it('uses everything that is offered', async () => {
    const { called } = await run('demo', all);
    expect(called).toEqual([
      'run_plan',
      'run_spawn',
      'run_spawn',
      'shell_exec',
      'file_write',
      'run_join',
      'run_note',
      'run_escalate',
      'run_complete',
    ]);
  });

  it('uses what is offered on request by its name', async () => {
    const [needed, later] = [all.filter((name) => !name.startsWith('run_s')), ['run_spawn']];
    const request = { modelId: 'scripted:demo', messages: [{ role: 'user' as const, content: 'Show me' }] };
    const second = [...request.messages, { role: 'assistant' as const, content: '' }];
    const answer = await play(models(), { ...request, messages: second, tools: tools(...needed), onRequest: later });
    expect(eventsOf(answer, 'tool-call').map(({ call }) => call.name)).toContain('run_spawn');
  });

  it.each([
    ['no sandbox', all.filter((name) => name !== 'shell_exec' && name !== 'file_write')],
    ['no children', all.filter((name) => name !== 'run_spawn')],
    ['only an end', ['run_complete']],
  ])('ends by itself with %s', async (_, offered) => {
    const { called } = await run('demo', offered);
    expect(called.at(-1)).toBe('run_complete');
    expect(called.filter((name) => !offered.includes(name))).toEqual([]);
  });

  it('greets and ends where nothing else was asked for, in runs and in chats', async () => {
    expect((await run('hello', all)).called).toEqual(['run_complete']);
    const chat = await run('hello', []);
    expect(chat.text).toContain('no language model');
    expect(chat.text).toContain('Show me');
  });

  it.each(['demo-child-reading', 'demo-child-numbers'])('has a child %s that completes', async (name) => {
    expect((await run(name, all)).called.at(-1)).toBe('run_complete');
  });

  it('and all built-in scenarios are valid', () => {
    for (const input of Object.values(builtInScenarios)) expect(Scenario.safeParse(input).success).toBe(true);
  });
});
