// The MCP server at /mcp, with the official client in both eras of the protocol, on both adapters.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { request, transports } from '../support/test-server.ts';

type Data = Record<string, unknown>;

describe.each(transports)('on %s', (transport) => {
  let world: ServerWithModel;
  const opened: Client[] = [];
  beforeAll(async () => {
    world = await startServerWithModel({ RIVULET_TRANSPORT: transport });
  });
  afterAll(async () => {
    for (const client of opened) await client.close();
    await world.close();
  });

  async function connect(
    key: string,
    { mode = 'auto', query = '' }: { mode?: 'auto' | 'legacy'; query?: string } = {},
  ) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${world.server.url}/mcp${query}`), { requestInit: { headers } }),
    );
    opened.push(client);
    return client;
  }
  const answerOf = async (
    client: Client,
    name: string,
    args: Data,
    onprogress?: (told: { message?: string | undefined }) => void,
  ) => {
    const { structuredContent, content, isError } = await client.callTool(
      { name, arguments: args },
      onprogress ? { onprogress } : {},
    );
    return { data: structuredContent as Data, text: (content[0] as { text: string }).text, isError: isError === true };
  };

  /** A key of an identity of its own, which may do this much. */
  async function keyWith(scopes: string[]) {
    const made = await world.server.call('POST', '/api/identities', { name: `K${Math.random()}` });
    const { id } = made.body.data;
    const key = await world.server.call('POST', `/api/identities/${id}/api-keys`, { name: 'k', scopes });
    return { id: id as number, key: key.body.data.rawKey as string };
  }

  it.each(['auto', 'legacy'] as const)('starts a run, tells its progress and answers it (%s)', async (mode) => {
    const client = await connect(world.server.key, { mode });
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
    const told: (string | undefined)[] = [];
    const { data } = await answerOf(client, 'run_start', { goal: 'Say hello' }, ({ message }) => told.push(message));
    expect(data).toMatchObject({ status: 'Completed', progressSummary: 'Hello world' });
    expect(told).toEqual(expect.arrayContaining(['Started', 'Turn 1', 'Completed']));
    const chat = await answerOf(client, 'chat_create', { title: 'By MCP' });
    const asked = await answerOf(client, 'chat_ask', { sessionId: chat.data.id, message: 'Hello' });
    expect(asked.data).toMatchObject({ reply: 'Hello world', messageId: expect.any(Number) });
  });

  it('answers while a run goes on, and waits for it again', async () => {
    const client = await connect(world.server.key);
    world.model.reply({ text: ['Working', ' on', ' it'], stallAfter: 1 });
    const { data } = await answerOf(client, 'run_start', { goal: 'Take long', waitSeconds: 0 });
    expect(data.status).toBe('Queued');
    const waiting = await answerOf(client, 'run_wait', { id: data.id, waitSeconds: 1 });
    expect(waiting.data.status).toBe('Running');
    const end = answerOf(client, 'run_wait', { id: data.id, waitSeconds: 60 }, ({ message }) => {
      if (message === 'Started') world.model.release();
    });
    expect((await end).data.status).toBe('Completed');
    expect(await answerOf(client, 'run_wait', { id: data.id, waitSeconds: -1 })).toMatchObject({ isError: true });
  });

  it('carries operations out for the caller, with its rights and its identity', async () => {
    const { id, key } = await keyWith(['MemoriesRead', 'MemoriesWrite']);
    const client = await connect(key);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['search', 'memory_search', 'memory_list', 'memory_get', 'memory_create', 'memory_update', 'memory_delete'],
    ]);
    const text = { title: 'Tea', content: 'The tea is in the blue tin.', idempotencyKey: `tea-${id}` };
    const made = await answerOf(client, 'memory_create', text);
    const again = await answerOf(client, 'memory_create', text);
    expect(again.data).toEqual(made.data);
    const found = await answerOf(client, 'memory_search', { q: 'blue tin' });
    expect(JSON.stringify(found.data)).toContain('The tea is in the blue tin.');
    // It may not even look at runs, whatever its client calls.
    expect(await answerOf(client, 'run_list', {})).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^FORBIDDEN/),
    });
    const audit = await world.server.call('GET', '/api/audit-events?action=Memories_create');
    expect(audit.body.data.items).toMatchObject([{ actorId: id }]);
  });

  it('offers few tools to those who ask for few, and says what is wrong with a call', async () => {
    const client = await connect(world.server.key, { query: '?tools=task,project' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['project_list', 'task_list', 'task_get', 'task_create', 'task_update', 'task_status', 'task_comment'],
    ]);
    const misspelt = await connect(world.server.key, { query: '?tools=taks,project' });
    await expect(misspelt.listTools()).rejects.toThrow(/There are no tools about taks: \?tools= takes .*task/);
    const failed = async (name: string, args: Data) => {
      const { isError, text } = await answerOf(client, name, args);
      expect(isError).toBe(true);
      return text;
    };
    expect(await failed('task_get', { id: 999_999 })).toMatch(/^NOT_FOUND: There is no task 999999/);
    expect(await failed('task_get', {})).toBe('id is missing.');
    for (const id of ['abc', '1e3', -1, 1.5, {}, '../../../api/users'])
      expect(await failed('task_get', { id })).toBe('id must be a whole number.');
    expect(await failed('task_list', { nonsense: 1 })).toMatch(/nonsense: is not a known field/);
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32_602 });
  });

  it('offers the prompts of the library, filled in, to whoever may use them', async () => {
    const save = (text: string, more: object = {}) => ({ name: 'A haiku', command: 'haiku', text, ...more });
    const shared = save('Of {{topic}}, {{tone:calm|wild}}', { isShared: true, description: 'Three lines' });
    await world.server.client.prompts.create({ body: shared });
    const { key } = await keyWith(['ChatRead', 'ChatWrite']);
    const client = await connect(key);
    expect((await client.listPrompts()).prompts).toEqual([
      {
        ...{ name: 'haiku', title: 'A haiku', description: 'Three lines' },
        arguments: [
          { name: 'topic', required: true },
          { name: 'tone', required: false, description: 'One of calm, wild; calm unless given.' },
        ],
      },
    ]);
    const said = async (args: Record<string, string>) =>
      (await client.getPrompt({ name: 'haiku', arguments: args })).messages;
    const content = { type: 'text', text: 'Of the sea, wild' };
    expect(await said({ topic: 'the sea', tone: 'wild' })).toEqual([{ role: 'user', content }]);
    await expect(said({})).rejects.toMatchObject({ code: -32_602, message: expect.stringMatching(/needs topic/) });
    await expect(client.getPrompt({ name: 'hai' })).rejects.toMatchObject({ code: -32_602 });
    // One's own of the same command comes first, and is nobody else's.
    const mine = { authorization: `Bearer ${key}` };
    const made = await world.server.call('POST', '/api/prompts', save('Mine'), mine);
    expect(made.status).toBe(200);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'haiku', arguments: [] }]);
    expect(await said({})).toMatchObject([{ content: { text: 'Mine' } }]);
    const blind = await connect((await keyWith(['RunsRead'])).key);
    expect((await blind.listPrompts()).prompts).toEqual([]);
    await expect(blind.getPrompt({ name: 'haiku' })).rejects.toMatchObject({ code: -32_602 });
  });

  it('refuses whom it does not know, pages of others, and what is no request', async () => {
    const { url } = world.server;
    const ask = (headers: Record<string, string>, body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' }) =>
      request(url, 'POST', '/mcp', body, { accept: 'application/json, text/event-stream', ...headers });
    const nobody = await ask({});
    expect([nobody.status, nobody.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)]);
    expect(nobody.body.error.message).toContain('Send "Authorization: Bearer');
    const authorization = `Bearer ${world.server.key}`;
    expect((await ask({ authorization: 'Bearer rvt_wrong' })).status).toBe(401);
    expect((await ask({ authorization, origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await ask({ authorization, origin: url })).status).toBe(200);
    expect((await request(url, 'GET', '/mcp', undefined, { authorization })).status).toBe(405);
    expect((await ask({ authorization }, 'no JSON-RPC')).status).toBe(400);
    const large = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { x: 'x'.repeat(5 << 20) } };
    expect((await ask({ authorization }, large)).status).toBe(413);
  });
});
