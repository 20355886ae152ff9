// A server, a model's provider and an MCP server for a file of tests, with whose clock they run and with which they end.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type McpHost, startMcpHost } from './mcp-host.ts';
import { environmentOf, type FakeServer, startFakeServer } from './openai-server.ts';
import { createShiftedClock } from './shifted-clock.ts';
import { startTestServer, type TestServer } from './test-server.ts';

interface Started {
  model: FakeServer;
  server: TestServer;
  host: McpHost;
}

export function mcpStage() {
  const clock = createShiftedClock();
  let started: Started;
  beforeAll(async () => {
    const [model, host] = await Promise.all([startFakeServer(), startMcpHost({})]);
    const environment = { ...environmentOf(model), RIVULET_PRIVATE_CONNECTORS: 'operator' };
    started = { model, host, server: await startTestServer(environment, null, clock) };
  });
  afterAll(async () => {
    const { server, host, model } = started;
    await server.close();
    await Promise.all([host.close(), model.close()]);
  });
  beforeEach(() => {
    started.model.otherwise = () => ({ text: ['Done.'] });
  });

  /** The data of an answer; of a refusal what it says, with its status. */
  const call = async (method: string, path: string, body?: object) => {
    const answer = await started.server.call(method, path, body);
    return answer.body.ok ? answer.body.data : { ...answer.body, status: answer.status };
  };
  return {
    clock,
    call,
    get model() {
      return started.model;
    },
    get server() {
      return started.server;
    },
    get host() {
      return started.host;
    },
    /** Connects the MCP server under a name, as it is now; its tools are known then. */
    async connect(name: string, settings?: object): Promise<void> {
      const { id } = await call('POST', '/api/connectors', { name, type: 'Mcp', baseUrl: started.host.url });
      if (settings) await call('PUT', `/api/connectors/${id}/mcp/settings`, settings);
      expect(await call('POST', `/api/connectors/${id}/mcp/discover`)).toMatchObject({ status: 'Connected' });
    },
  };
}
