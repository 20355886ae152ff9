// The A2A protocol's Python SDK: its client at our agents, over both bindings, and our client at an agent made with it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/child-server.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { type Program, startProgram } from './program.ts';
import { commandOf, describeInstalled } from './suite.ts';

const client = { name: 'A2A Python SDK', set: 'python-a2a', package: 'a2a-sdk' };
const bindings = ['JSONRPC', 'HTTP+JSON'];

describeInstalled(client, (folder) => {
  let world: ServerWithModel;
  let caller: Program;
  let agent: Program;
  let receiver: Server;
  let address: string;
  const received: { token: unknown; body: { task?: { id: string } } }[] = [];
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await world.server.call(method, `/api${path}`, body);
    expect([answer.body.error, answer.body.hint]).toEqual([null, null]);
    return answer.body.data;
  };
  beforeAll(async () => {
    world = await startServerWithModel({ RIVULET_PRIVATE_CONNECTORS: 'operator' });
    const start = async (program: string) => {
      const [command = '', ...args] = await commandOf({ ...client, program }, folder);
      return startProgram(command, args, { BASE_URL: world.server.url, API_KEY: world.server.key });
    };
    [caller, agent] = await Promise.all([start('a2a_client.py'), start('a2a_agent.py')]);
    receiver = createServer(async (asked, answer) => {
      let text = '';
      for await (const chunk of asked) text += chunk;
      received.push({ token: asked.headers['x-a2a-notification-token'], body: JSON.parse(text) });
      answer.end();
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const { id } = await call('POST', '/identities', { name: 'Robin' });
    const bot = await call('PUT', `/bot-profiles/${id}`, { displayName: 'Robin', isPublished: true });
    address = `${world.server.url}/a2a/${bot.publicUrl.split('/').at(-1)}`;
  });
  afterAll(async () => {
    caller?.stop();
    agent?.stop();
    receiver?.closeAllConnections();
    receiver?.close();
    await world?.close();
  });

  it.each(bindings)('calls our agent, by %s', async (binding) => {
    const ask = (flow: string, options: object) => caller.do(flow, { url: address, binding, ...options });
    world.model.otherwise = () => ({ text: ['Two ', 'herons.'] });
    const sent = await ask('send', { text: 'Which birds?' });
    expect(sent).toMatchObject({ state: 'TASK_STATE_COMPLETED', texts: ['Two herons.'] });
    expect(await ask('get', { task: sent.id })).toEqual(sent);
    expect(await ask('tasks', { context: sent.context })).toEqual({ ids: [sent.id], total: 1 });
    expect(await ask('stream', { text: 'And now?' })).toMatchObject({
      kinds: expect.arrayContaining(['task', 'artifact_update', 'TASK_STATE_COMPLETED']),
      text: 'Two herons.',
    });
    expect(await ask('cancel', { task: sent.id })).toMatchObject({ error: 'TaskNotCancelableError' });
    expect(await ask('get', { task: 'nobody' })).toMatchObject({ error: 'TaskNotFoundError' });
    expect(await ask('send', { text: 'More?', task: sent.id })).toMatchObject({ error: 'UnsupportedOperationError' });
  });

  it.each(bindings)('follows, is told of and cancels tasks of ours, by %s', async (binding) => {
    const ask = (flow: string, options: object) => caller.do(flow, { url: address, binding, ...options });
    const question = { situation: 'Which way?' };
    const asking = { toolCalls: [{ id: 'c1', name: 'run_escalate', arguments: [JSON.stringify(question)] }] };
    world.model.reply(asking, { text: ['Northwards.'] });
    const waits = await ask('send', { text: 'Go.' });
    expect(waits.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    expect(await ask('push', { task: waits.id, receiver: url })).toMatchObject({ url, listed: [expect.any(String)] });
    expect(await ask('send', { text: 'North.', task: waits.id })).toMatchObject({
      ...{ id: waits.id, state: 'TASK_STATE_COMPLETED', texts: ['Northwards.'] },
    });
    await expect
      .poll(() => received.filter(({ body }) => body.task?.id === waits.id).map(({ token }) => token), {
        timeout: 20_000,
      })
      .toEqual(['hush']);
    expect(await ask('forget', { task: waits.id, config: 'mine' })).toEqual({ listed: [] });
    // Whether the model is asked before a task is cancelled is left open, so no reply waits for it.
    world.model.otherwise = () => ({ text: ['Slow'], stallAfter: 1 });
    const slow = await ask('send', { text: 'Take your time.', at_once: true });
    caller.begin('subscribe', { url: address, binding, task: slow.id });
    expect(await caller.next()).toEqual({ begun: 'task' });
    const stopped = world.server.client.agentRuns.list({ query: { pageSize: 1 } });
    const [run] = (await stopped).items;
    await call('POST', `/agent/runs/${run?.id}/cancel`, {});
    const { kinds } = await caller.next();
    expect([kinds[0], kinds.at(-1)]).toEqual(['task', 'TASK_STATE_CANCELED']);
    world.model.release();
    const other = await ask('send', { text: 'Take your time.', at_once: true });
    expect(await ask('cancel', { task: other.id })).toMatchObject({ id: other.id, state: 'TASK_STATE_CANCELED' });
    world.model.release();
  });

  it.each(bindings)('is called by our runs, by %s', async (binding) => {
    const { url } = await agent.do('start', { port: await freePort(), binding });
    const name = `Far ${binding.replaceAll(/\W/g, ' ')}`;
    await call('POST', '/connectors', { name, type: 'Custom', subType: 'A2A', authMethod: 'None', baseUrl: url });
    const tool = `${name.toLowerCase().replaceAll(' ', '_')}__ask`;
    const asking = (args: object) => ({ toolCalls: [{ id: 'c1', name: tool, arguments: [JSON.stringify(args)] }] });
    const said: string[] = [];
    const asked = async (args: object) => {
      world.model.reply(asking(args), { text: ['Done.'] });
      const { id } = await call('POST', '/agent/runs', { goal: 'Ask the agent.', autoStart: true });
      await expect
        .poll(async () => (await call('GET', `/agent/runs/${id}`)).status, { timeout: 20_000 })
        .toBe('Completed');
      said.push(JSON.stringify(world.model.requests.at(-1)?.body.messages));
      return said.at(-1) as string;
    };
    expect(await asked({ message: 'Ahoy.' })).toContain('You said: Ahoy.');
    const question = await asked({ message: 'Ask me.' });
    expect(question).toContain('Which berth?');
    const taskId = /taskId[^0-9a-f]+([0-9a-f-]{36})/.exec(question)?.[1];
    expect(await asked({ message: 'The third.', taskId })).toContain('You said: The third.');
  });
});
