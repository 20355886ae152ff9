// The client under the protocol's conformance suite is the whole server: a connector, its sign-ins, and runs that call its tools.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { FakeReply } from './openai-server.ts';
import { type ServerWithModel, startServerWithModel } from './server-with-model.ts';

/** What the suite says to a client that it starts. */
interface Asked {
  url: string;
  scenario: string;
  context: { client_id?: string; client_secret?: string; toolCalls?: { name: string; arguments: object }[] } | null;
}

/** Whose metadata document the suite expects where clients are told from their address. */
const publicUrl = 'https://conformance-test.local';
/** Times that a person signs in for one thing before it is given up. */
const mostSignIns = 2;

export interface ConformanceClient {
  /** What the suite starts as a client: it hands on what it is asked, and waits. */
  command: string;
  close(): Promise<void>;
}

export async function startConformanceClient(folder: string): Promise<ConformanceClient> {
  const world = await startServerWithModel({
    ...{ RIVULET_PRIVATE_CONNECTORS: 'operator', RIVULET_PUBLIC_URL: publicUrl },
  });
  world.model.otherwise = ({ body }) => answerTo(JSON.stringify(body.messages));
  let count = 0;
  const desk = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const asked = JSON.parse(Buffer.concat(parts).toString()) as Asked;
    // The suite ends a client that takes too long, and then waits for the sessions that it has left.
    const left = new Promise<never>((_, reject) => {
      response.once('close', () => reject(new Error('the suite has ended this client')));
    });
    left.catch(() => {});
    const said = await play(world, asked, `Scenario ${++count}`, left).then(() => null, String);
    response.writeHead(said === null ? 200 : 500).end(said);
  });
  await new Promise<void>((done) => desk.listen(0, '127.0.0.1', done));
  const script = join(folder, 'client.mjs');
  writeFileSync(script, clientScript((desk.address() as AddressInfo).port));
  return {
    command: `${process.execPath} ${script}`,
    close: async () => {
      desk.closeAllConnections();
      await Promise.all([world.close(), new Promise((done) => desk.close(done))]);
    },
  };
}

const clientScript = (port: number) => `
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = 'null' } = process.env;
const body = JSON.stringify({ url: process.argv.at(-1), scenario, context: JSON.parse(context) });
const answer = await fetch('http://127.0.0.1:${port}', { method: 'POST', body });
console.log(await answer.text());
process.exit(answer.ok ? 0 : 1);
`;

/** The model calls the tool that the goal names, then ends. */
function answerTo(said: string): FakeReply {
  const [, encoded] = /call:([A-Za-z0-9_-]+)/.exec(said) ?? [];
  if (encoded === undefined || said.includes('"role":"tool"')) return { text: ['Done.'] };
  const { name, args } = JSON.parse(Buffer.from(encoded, 'base64url').toString());
  return { toolCalls: [{ id: 'c1', name, arguments: [JSON.stringify(args)] }] };
}

async function play(
  world: ServerWithModel,
  { url, scenario, context }: Asked,
  name: string,
  left: Promise<never>,
): Promise<void> {
  const call: Call = async (method, path, body) => {
    const answer = await world.server.call(method, path, body);
    if (!answer.body.ok) throw new Error(`${method} ${path}: ${answer.body.error}`);
    return answer.body.data;
  };
  const { client_id: clientId, client_secret: clientSecret } = context ?? {};
  const { id } = await call('POST', '/api/connectors', {
    ...{ name, type: 'Mcp', baseUrl: url },
    ...(scenario.startsWith('auth/') && { authMethod: 'OAuth2AuthorizationCode' }),
    ...(clientId && { credentials: JSON.stringify({ clientId, clientSecret }) }),
  });
  try {
    await Promise.race([playWith({ call }, id, context), left]);
  } finally {
    // Sessions that are idle stay for a while, and the suite waits for them; those of a connector that is gone end.
    await call('DELETE', `/api/connectors/${id}`);
    await call('GET', '/api/agent/tools');
  }
}

async function playWith({ call }: { call: Call }, id: number, context: Asked['context']): Promise<void> {
  let signIns = 0;
  /** Whether somebody could sign in where the server wants it. */
  const signedIn = async (): Promise<boolean> => {
    const { mcpStatus } = await call('GET', `/api/connectors/${id}`);
    if (mcpStatus !== 'AuthRequired' || signIns >= mostSignIns) return false;
    signIns++;
    const { authorizationUrl } = await call('POST', `/api/connectors/${id}/sign-in`);
    const answer = await fetch(authorizationUrl, { redirect: 'manual' });
    const back = new URL(answer.headers.get('location') ?? '').searchParams;
    await call('POST', '/api/connectors/oauth/sign-in', Object.fromEntries(back));
    return true;
  };
  const discover = () => call('POST', `/api/connectors/${id}/mcp/discover`);
  let found = await discover();
  while (found.error !== null && (await signedIn())) found = await discover();
  if (found.error !== null) throw new Error(found.error);
  const tools: Tool[] = await call('GET', `/api/connectors/${id}/mcp/tools`);
  const calls = context?.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: argsOf(tool, tools) }));
  for (const one of calls) {
    const tool = tools.find((known) => known.name === one.name);
    if (!tool) continue;
    do await runCalling({ call }, tool.toolName, one.arguments);
    while (await signedIn());
  }
}

/** Numbers and texts for what a tool needs; where it asks for the schema of another tool, that. */
function argsOf({ offeredJson }: Tool, tools: readonly Tool[]): Record<string, unknown> {
  const { inputSchema } = JSON.parse(offeredJson ?? '{}');
  if (inputSchema?.properties?.schema)
    return { schema: JSON.parse(tools.find((one) => one.name === echoed)?.offeredJson ?? '{}').inputSchema };
  const properties = Object.entries((inputSchema?.properties ?? {}) as Record<string, { type?: string }>);
  return Object.fromEntries(
    properties.map(([name, { type }]) => [
      name,
      type === 'number' || type === 'integer' ? 5 : type === 'boolean' ? true : 'text',
    ]),
  );
}

interface Tool {
  name: string;
  toolName: string;
  offeredJson: string | null;
}
/** The tool whose schema the suite wants back. */
const echoed = 'json_schema_2020_12_tool';

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
type Call = (method: string, path: string, body?: object) => Promise<any>;

/** A run that calls a tool; who is asked meanwhile answers with what is usual. */
async function runCalling({ call }: { call: Call }, name: string, args: object): Promise<void> {
  const goal = `call:${Buffer.from(JSON.stringify({ name, args })).toString('base64url')}`;
  const { id } = (await call('POST', '/api/agent/runs', { goal, autoStart: true })) as { id: number };
  const ended = ['Completed', 'Failed', 'TimedOut', 'BudgetExhausted'];
  for (;;) {
    let status = '';
    await expect
      .poll(
        async () => {
          ({ status } = (await call('GET', `/api/agent/runs/${id}`)) as { status: string });
          return status;
        },
        { timeout: 100_000 },
      )
      .toSatisfy((one: string) => [...ended, 'WaitingForDecision'].includes(one));
    if (ended.includes(status)) return;
    const { items } = (await call('GET', `/api/agent/escalations?runId=${id}&status=AwaitingHuman`)) as {
      items: { id: number; options: string[] | null }[];
    };
    for (const one of items)
      await call('POST', `/api/agent/escalations/${one.id}/resolve`, { decision: decisionOf(one) });
  }
}

const decisionOf = ({ options }: { options: string[] | null }): string =>
  options?.find((one) => one !== 'decline') ?? '{}';
