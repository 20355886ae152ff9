// The tools, resources and prompts that the protocol's conformance suite wants, behind this server's own MCP door.
import { createHmac } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import {
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { pino } from 'pino';
import { z } from 'zod';
import { nodeAdapter } from '../../src/http/adapters/node/server.ts';
import { createMcpDoor } from '../../src/http/mcp/door.ts';
import { taskCapabilities } from '../../src/http/mcp/task-server.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { registerTaskTools } from './conformance-tasks.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
const embedded = (uri: string, words: string, mimeType = 'text/plain') => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});
const asking = (message: string, field: string, type = 'string') => ({
  method: 'elicitation/create' as const,
  params: {
    message,
    requestedSchema: { type: 'object' as const, properties: { [field]: { type } }, required: [field] },
  },
});
const prompting = (words: string, maxTokens = 100) => ({
  method: 'sampling/createMessage' as const,
  params: { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: words } }], maxTokens },
});
const folders = { method: 'roots/list' as const, params: {} };

type Answer = object | Promise<object>;
type Answering = (args: Record<string, unknown>, context: ServerContext) => Answer;

/** States that nobody else can make: `state` says which round it is. */
const codec = createRequestStateCodec<{ round: number }>({ key: createHmac('sha256', 'of a test').digest() });

/** Tools whose answers are what the suite knows. */
const plainTools: Record<string, Answering> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [{ type: 'image', data: png, mimeType: 'image/png' }] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      ...text('Multiple content types test:').content,
      { type: 'image', data: png, mimeType: 'image/png' },
      embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
    ],
  }),
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  test_tool_with_logging: (_, { mcpReq }) => logged(mcpReq),
  test_logging_tool: (_, { mcpReq }) => logged(mcpReq),
  test_tool_with_progress: async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await after(50);
    }
    return text('done');
  },
};

async function logged(mcpReq: ServerContext['mcpReq']) {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', words);
    await after(50);
  }
  return text('logged');
}

/** What is wanted first, round after round, and what is said then. */
function rounds(
  wanted: readonly Record<string, object>[],
  said: (given: Record<string, never>) => string,
  { hasState = true } = {},
): Answering {
  return async (_, context) => {
    const { inputResponses, requestState } = context.mcpReq;
    const state = requestState<{ round: number }>();
    const round = inputResponses ? (state?.round ?? 1) : 0;
    const asked = Object.keys(wanted[round - 1] ?? {});
    const isAnswered = asked.every((key) => inputResponses && key in inputResponses);
    const next = isAnswered ? wanted[round] : wanted[round - 1];
    if (next === undefined) return text(said((inputResponses ?? {}) as never));
    const at = isAnswered ? round + 1 : round;
    const kept = hasState ? { requestState: await codec.mint({ round: at }, context) } : {};
    return inputRequired({ inputRequests: next as never, ...kept });
  };
}

const nameAsked = asking('What is your name?', 'name');
const askingTools: Record<string, Answering> = {
  test_input_required_result_elicitation: rounds(
    [{ user_name: nameAsked }],
    ({ user_name }: Record<string, { content?: { name?: string } }>) => `Hello, ${user_name?.content?.name}!`,
    { hasState: false },
  ),
  test_input_required_result_sampling: rounds(
    [{ capital_question: prompting('What is the capital of France?') }],
    ({ capital_question }: Record<string, { content?: { text?: string } }>) => `${capital_question?.content?.text}`,
    { hasState: false },
  ),
  test_input_required_result_list_roots: rounds([{ client_roots: folders }], (given) => JSON.stringify(given), {
    hasState: false,
  }),
  test_input_required_result_request_state: rounds(
    [{ confirm: asking('Please confirm', 'ok', 'boolean') }],
    () => 'state-ok',
  ),
  test_input_required_result_tampered_state: rounds(
    [{ confirm: asking('Please confirm', 'ok', 'boolean') }],
    () => 'state-ok',
  ),
  test_input_required_result_multiple_inputs: rounds(
    [{ user_name: nameAsked, greeting: prompting('Generate a greeting', 50), client_roots: folders }],
    (given) => JSON.stringify(given),
  ),
  test_input_required_result_multi_round: rounds(
    [
      { step1: asking('Step 1: What is your name?', 'name') },
      { step2: asking('Step 2: What is your favorite color?', 'color') },
    ],
    () => 'both',
  ),
  test_input_required_result_capabilities: (_, { mcpReq }) => {
    const envelope = mcpReq.envelope as Record<string, Capabilities | undefined> | undefined;
    const declared = envelope?.['io.modelcontextprotocol/clientCapabilities'];
    const { elicitation, sampling } = declared ?? {};
    const inputRequests = {
      ...(elicitation && { user_name: nameAsked }),
      ...(sampling && { greeting: prompting('Generate a greeting', 50) }),
    };
    return inputRequired({ inputRequests: inputRequests as never });
  },
  test_missing_capability: rounds([{ greeting: prompting('Generate a greeting', 50) }], () => 'done', {
    hasState: false,
  }),
  test_streaming_elicitation: rounds([{ user_name: nameAsked }], () => 'done', { hasState: false }),
};
interface Capabilities {
  elicitation?: object;
  sampling?: object;
}

/** Words of JSON Schema 2020-12 that a server has to hand on as they are. */
const wideSchema = {
  ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', additionalProperties: false },
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { city: { type: 'string' } } } },
  properties: { address: { $ref: '#/$defs/address' }, phone: { type: 'string' }, email: { type: 'string' } },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema.
  ...{ if: { required: ['phone'] }, then: { required: ['address'] }, else: { required: ['email'] } },
};
const anything = fromJsonSchema({ type: 'object' });

function fixture(): McpServer {
  const server = new McpServer(
    { name: 'fixture', version: '1' },
    {
      capabilities: { logging: {}, completions: {}, ...taskCapabilities.modern },
      requestState: { verify: codec.verify },
    },
  );
  for (const [name, answer] of Object.entries({ ...plainTools, ...askingTools }))
    server.registerTool(name, { description: name, inputSchema: anything }, ((
      args: Record<string, unknown>,
      context: ServerContext,
    ) => answer(args, context)) as never);
  const schemaTool = { description: 'Keeps its schema', inputSchema: fromJsonSchema(wideSchema as never) };
  server.registerTool('json_schema_2020_12_tool', schemaTool, () => text('kept'));
  const about = (name: string) => ({ description: name });
  server.registerResource('static-text', 'test://static-text', about('A text'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static-binary', 'test://static-binary', about('A picture'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'image/png', blob: png }],
  }));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    about('Data by id'),
    ({ href: uri }, { id }) => {
      const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: 'application/json', text: data }] };
    },
  );
  registerPrompts(server);
  registerTaskTools(server);
  return server;
}

function registerPrompts(server: McpServer): void {
  const user = (content: object) => ({ role: 'user', content });
  const words = (said: string) => user({ type: 'text', text: said });
  const prompt = (name: string, argsSchema: z.ZodObject | undefined, of: (args: never, context: never) => Answer) =>
    server.registerPrompt(name, { description: name, ...(argsSchema && { argsSchema }) }, of as never);
  prompt('test_simple_prompt', undefined, () => ({ messages: [words('This is a simple prompt for testing.')] }));
  const completed = completable(z.string(), (begun) =>
    ['paris', 'park', 'party'].filter((one) => one.startsWith(begun)),
  );
  prompt(
    'test_prompt_with_arguments',
    z.object({ arg1: completed, arg2: z.string() }),
    ({ arg1, arg2 }: Record<string, string>) => ({
      messages: [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  prompt('test_prompt_with_embedded_resource', z.object({ resourceUri: z.string() }), ({ resourceUri }) => ({
    messages: [
      user(embedded(resourceUri, 'Embedded resource content for testing.')),
      words('Please process the embedded resource above.'),
    ],
  }));
  prompt('test_prompt_with_image', undefined, () => ({
    messages: [user({ type: 'image', data: png, mimeType: 'image/png' }), words('Please analyze the image above.')],
  }));
  prompt('test_input_required_result_prompt', undefined, (context: ServerContext) => {
    const { inputResponses } = context.mcpReq;
    if (inputResponses) return { messages: [words(JSON.stringify(inputResponses))] };
    const asked = asking('What context should the prompt use?', 'context');
    return inputRequired({ inputRequests: { user_context: asked } as never });
  });
}

/** The door of `/mcp` over an adapter of ours, with these tools where the server's own stand otherwise. */
export async function startConformanceServer(): Promise<{ url: string; close(): Promise<void> }> {
  const caller = { tenantId: 1, name: 'suite', keyId: 1 } as never;
  let url = '';
  const door = createMcpDoor(
    {
      authenticate: () => caller,
      redeemTicket: () => Promise.reject(new Error('no tickets')),
      clock: systemClock,
      log: pino({ level: 'silent' }),
      publicUrl: () => url,
    },
    () => Promise.resolve(fixture),
  );
  const server = await nodeAdapter({ host: '127.0.0.1', port: 0, handle: (exchange) => door.handle(exchange) });
  url = `http://127.0.0.1:${server.port}`;
  return {
    url: `${url}/mcp`,
    close: async () => {
      await door.close();
      await server.close();
    },
  };
}
