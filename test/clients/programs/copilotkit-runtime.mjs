// A runtime of CopilotKit's whose agent is this server, as an application would put it before its front end.
import { createServer } from 'node:http';
import { HttpAgent } from '@ag-ui/client';
import { CopilotRuntime } from '@copilotkit/runtime/v2';
import { createCopilotNodeListener } from '@copilotkit/runtime/v2/node';
import { BASE_URL } from './flows.mjs';

/** Starts it, and tells where its agent is. */
export async function copilotKit() {
  const agent = new HttpAgent({ url: `${BASE_URL}/api/chat/ag-ui` });
  const runtime = new CopilotRuntime({ agents: { rivulet: agent } });
  const server = createServer(createCopilotNodeListener({ runtime, basePath: '/copilot' }));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}/copilot/agent/rivulet/run`;
}
