// A run's stream in the formats of front-end kits, read by those kits' own clients, on both transports.
import { HttpAgent } from '@ag-ui/client';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../support/stage.ts';
import { transports } from '../support/test-server.ts';

describe.each(transports)('the stream of a run over %s', (transport) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ RIVULET_TRANSPORT: transport });
    stage.cast({
      look: [
        {
          reasoning: ['Let', ' me think.'],
          text: ['I', ' look', ' around. 🌊'],
          calls: [['run_note', { content: 'waves' }]],
        },
        { text: ['There are', ' waves.'] },
      ],
      fail: [{ calls: [['run_fail', { reason: 'No sea here.' }]] }],
    });
  });
  afterAll(() => stage.close());

  const authorization = () => ({ authorization: `Bearer ${stage.server.key}` });
  const path = (id: number) => `${stage.server.url}/api/agent/runs/${id}/events`;

  /** As useChat reads a stream that it comes back to. */
  async function readAsUiMessage(id: number): Promise<{ message: UIMessage | undefined; errors: unknown[] }> {
    const transport = new DefaultChatTransport({
      headers: { ...authorization(), accept: 'text/event-stream; format=ui-message-stream' },
      prepareReconnectToStreamRequest: () => ({ api: path(id) }),
    });
    const stream = await transport.reconnectToStream({ chatId: 'any' });
    if (!stream) throw new Error('there is no stream');
    const errors: unknown[] = [];
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream, onError: (error) => void errors.push(error) }))
      last = structuredClone(message);
    return { message: last, errors };
  }

  async function readAsAgUi(id: number) {
    const agent = new HttpAgent({
      url: `${path(id)}?format=ag-ui`,
      // Its client posts; a run is there already and is only read.
      fetch: (url, { signal }) =>
        fetch(url, { headers: { ...authorization(), accept: 'text/event-stream' }, signal: signal ?? null }),
    });
    const errors: string[] = [];
    await agent.runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push(event.message) });
    if (errors[0]) throw new Error(errors[0]);
    return agent.messages;
  }

  it('is a message of the AI SDK, live and afterwards', async () => {
    const { id } = await stage.start('look at the sea');
    const live = await readAsUiMessage(id);
    expect(live.errors).toEqual([]);
    expect(live.message).toMatchObject({ id: `run-${id}`, role: 'assistant' });
    const shown = (message: UIMessage | undefined) =>
      message?.parts.map((part) => (part.type === 'text' || part.type === 'reasoning' ? part.text : part.type));
    expect(shown(live.message)?.filter((part) => part !== 'data-run-status')).toEqual([
      'step-start',
      'Let me think.',
      'I look around. 🌊',
      'dynamic-tool',
      'step-start',
      'There are waves.',
    ]);
    expect(live.message?.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
      toolName: 'run_note',
      state: 'output-available',
      input: { content: 'waves' },
    });
    expect(live.message?.parts.findLast(({ type }) => type === 'data-run-status')).toMatchObject({
      data: { status: 'Completed' },
    });
    const again = await readAsUiMessage(id);
    expect(again.message).toEqual(live.message);
  });

  it('is a conversation of AG-UI, live and afterwards', async () => {
    const { id } = await stage.start('look at the sea');
    const live = await readAsAgUi(id);
    expect(live.map(({ role, content }) => [role, content ?? null])).toEqual([
      ['reasoning', 'Let me think.'],
      ['assistant', 'I look around. 🌊'],
      ['assistant', null],
      ['tool', expect.any(String)],
      ['assistant', 'There are waves.'],
    ]);
    expect(await readAsAgUi(id)).toEqual(live);
  });

  it('tells a failure in each format', async () => {
    const { id } = await stage.start('fail please');
    const { errors } = await readAsUiMessage(id);
    expect(String(errors[0])).toContain('No sea here.');
    await expect(readAsAgUi(id)).rejects.toThrow('No sea here.');
  });

  it('refuses a format that nobody knows', async () => {
    const { id } = await stage.start('look again');
    const headers = { accept: 'text/event-stream; format=morse' };
    const answer = await stage.server.call('GET', `/api/agent/runs/${id}/events`, undefined, headers);
    expect(answer).toMatchObject({ status: 406, body: { errorCode: 'NOT_ACCEPTABLE' } });
    await stage.end(id);
  });
});
