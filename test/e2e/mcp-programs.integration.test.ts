// MCP servers that are started as commands, in the sandbox: the reference servers of npm and PyPI, and programs that fail.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDrivers } from '../../sandbox/testing/drivers.ts';
import { installed, installedPython } from '../support/packages.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';

const everything = '@modelcontextprotocol/server-everything@2026.8.31';
const time = 'mcp-server-time==2026.10.19';
/** Links of programs stay, and what Python has compiled counts by the time of its source. */
const asItIs = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };

const drivers = await testDrivers(['bwrap']);
if (drivers.length === 0) it.skip('bubblewrap does not work on this machine', () => {});

describe.runIf(drivers.length > 0)('a program in the sandbox', () => {
  let world: ServerWithModel;
  let folder = '';
  beforeAll(async () => {
    world = await startServerWithModel({ RIVULET_SANDBOX: 'bwrap' });
    folder = world.server.config.dataDir;
    // The users of sandboxes pass through it.
    chmodSync(folder, 0o711);
  });
  afterAll(async () => {
    await world.close();
    for (const { stop } of drivers) stop();
  });

  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await world.server.call(method, path, body);
    return answer.body.ok ? answer.body.data : { ...answer.body, status: answer.status };
  };
  /** A connector of a command, with its folder furnished before it starts. */
  async function connect(name: string, mcpEndpoint: string, furnish: (folder: string) => void = () => {}, more = {}) {
    const made = await call('POST', '/api/connectors', {
      ...{ name, type: 'Mcp', mcpTransportType: 'Stdio', mcpEndpoint },
      ...more,
    });
    const place = join(folder, 'sandbox', 'programs', `1-connector-${made.id}`);
    mkdirSync(place, { recursive: true });
    furnish(place);
    return made as { id: number };
  }
  const discover = (id: number) => call('POST', `/api/connectors/${id}/mcp/discover`);
  /** What a run is told by a tool. */
  async function told(name: string, args: object): Promise<string> {
    world.model.reply({ toolCalls: [{ id: 'c1', name, arguments: [JSON.stringify(args)] }] }, { text: ['Done.'] });
    const { id } = await call('POST', '/api/agent/runs', { goal: 'Use the tool.', autoStart: true });
    await expect.poll(async () => (await call('GET', `/api/agent/runs/${id}`)).status).toBe('Completed');
    const events = await call('GET', `/api/agent/runs/${id}/events`);
    const done = events.find(({ type }: { type: string }) => /^ToolCall(Completed|Failed|Blocked)$/.test(type));
    return `${done?.type} ${done?.message}`;
  }

  /** Processes of this machine whose command line has a word. */
  const running = (word: string) =>
    readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
      } catch {
        return false;
      }
    });

  it('of npm is a server like any other', async () => {
    const kept = await installed('mcp-everything', [everything]);
    const { id } = await connect('All', 'node node_modules/.bin/mcp-server-everything stdio', (place) =>
      cpSync(kept, join(place, 'node_modules'), asItIs),
    );
    const found = await discover(id);
    expect(found).toMatchObject({ status: 'Connected', error: null });
    expect(await told('all__echo', { message: 'hello' })).toContain('Echo: hello');
    expect(await told('all__resources_list', {})).toContain('uri');
    expect(await told('all__prompts_list', {})).toContain('simple');
  });

  it('of PyPI is one too', async () => {
    const kept = await installedPython('python-mcp-server-time', [time]);
    const { id } = await connect('Clock', 'PYTHONPATH=lib exec /usr/bin/python3 -m mcp_server_time', (place) =>
      cpSync(kept, join(place, 'lib'), asItIs),
    );
    expect(await discover(id)).toMatchObject({ status: 'Connected', toolCount: 2 });
    expect(await told('clock__get_current_time', { timezone: 'Europe/Berlin' })).toContain('Europe/Berlin');
  });

  it('sees its own folder and environment alone, and no network', async () => {
    const spy = `
      import { createInterface } from 'node:readline';
      import { readdirSync } from 'node:fs';
      const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      const look = async () => ({
        home: readdirSync('/workspace'), data: (() => { try { return readdirSync(${JSON.stringify(folder)}); } catch (e) { return e.code; } })(),
        env: Object.keys(process.env).sort(), key: process.env.KEY.length,
        net: await fetch(${JSON.stringify(world.server.url)}).then(() => 'reached', () => 'no way'),
      });
      console.log('this is no message');
      for await (const line of createInterface({ input: process.stdin })) {
        const { id, method, params } = JSON.parse(line);
        if (method === 'initialize') say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'spy', version: '1' } });
        else if (method === 'tools/list') say(id, { tools: [{ name: 'look', inputSchema: { type: 'object' } }, { name: 'die', inputSchema: { type: 'object' } }] });
        else if (params?.name === 'look') say(id, { content: [{ type: 'text', text: JSON.stringify(await look()) }] });
        else if (params?.name === 'die') { console.error('no more, ' + process.env.KEY); process.exit(3); }
        else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
      }`;
    const secret = { credentials: JSON.stringify({ KEY: 'planted-key' }) };
    const { id } = await connect('Spy', 'node spy.mjs', (place) => writeFileSync(join(place, 'spy.mjs'), spy), secret);
    expect(await discover(id)).toMatchObject({ status: 'Connected', toolCount: 2 });
    const seen = JSON.parse((await told('spy__look', {})).replace('ToolCallCompleted ', ''));
    expect(seen).toMatchObject({ data: 'ENOENT', key: 11, net: 'no way' });
    expect(seen.home).toContain('spy.mjs');
    expect(seen.env).toEqual(expect.arrayContaining(['HOME', 'KEY', 'PATH']));
    expect(seen.env.join()).not.toContain('RIVULET');
    const end = await told('spy__die', {});
    expect(end).toMatch(/ToolCallFailed .*exit code 3.*no more, \[hidden\]/s);
    expect(await call('GET', `/api/connectors/${id}`)).toMatchObject({ mcpStatus: 'Failed' });
    // Another run starts it anew.
    expect(await told('spy__look', {})).toContain('spy.mjs');
    expect(running('spy.mjs')).not.toEqual([]);
    await call('DELETE', `/api/connectors/${id}`);
    await expect.poll(() => running('spy.mjs')).toEqual([]);
  });

  it('that cannot start says why', async () => {
    const { id } = await connect('Gone', 'no-such-program --stdio');
    expect(await discover(id)).toMatchObject({
      status: 'Failed',
      error: expect.stringMatching(/exit code 127.*not found/s),
    });
    const plain = await connect('Token', 'node x.mjs', () => {}, { authMethod: 'BearerToken', credentials: 'abcdef' });
    expect((await discover(plain.id)).error).toMatch(/are its environment/);
  });
});
