// The HTTP+JSON binding of A2A: a method and a path name a call, and failures are Google's Status as JSON.
import {
  formatSSEEvent,
  ListTaskPushNotificationConfigsResponse,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
  TaskState,
  taskStateFromJSON,
} from '@a2a-js/sdk';
import { A2AError, RequestMalformedError, restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { Fault } from '../../kernel/fault.ts';

export interface RestCall {
  method: string;
  /** Below the agent's path, such as `/tasks/7:cancel`. */
  path: string;
  query: URLSearchParams;
  /** The body as JSON; an empty object where there is none. */
  body: Record<string, unknown>;
  /** Of the answer. */
  mediaType: string;
}

type Handler = A2ARequestHandler;
type Context = ServerCallContext;
/** Answers a call; null where nothing is there. */
type Route = (call: RestCall, handler: Handler, context: Context, ...names: string[]) => Promise<Response>;

const json = ({ mediaType }: RestCall, value: unknown): Response =>
  new Response(JSON.stringify(value), { headers: { 'content-type': mediaType } });

const routes: readonly [method: string, path: RegExp, Route][] = [
  [
    'POST',
    /^\/message:send$/,
    async (call, handler, context) => {
      const value = await handler.sendMessage(SendMessageRequest.fromJSON(call.body), context);
      const payload = 'status' in value ? ({ $case: 'task', value } as const) : ({ $case: 'message', value } as const);
      return json(call, SendMessageResponse.toJSON({ payload }));
    },
  ],
  [
    'POST',
    /^\/message:stream$/,
    async (call, handler, context) =>
      streamOf(handler.sendMessageStream(SendMessageRequest.fromJSON(call.body), context), toFrame),
  ],
  ['GET', /^\/tasks$/, async (call, handler, context) => listed(call, handler, context)],
  [
    'GET',
    /^\/tasks\/([^/:]+)$/,
    async (call, handler, context, id = '') => {
      const historyLength = numberIn(call.query, 'historyLength');
      return json(call, Task.toJSON(await handler.getTask({ tenant: '', id, historyLength }, context)));
    },
  ],
  [
    'POST',
    /^\/tasks\/([^/:]+):cancel$/,
    async (call, handler, context, id = '') =>
      json(call, Task.toJSON(await handler.cancelTask({ tenant: '', id, metadata: undefined }, context))),
  ],
  ['GET', /^\/tasks\/([^/:]+):subscribe$/, subscribed],
  ['POST', /^\/tasks\/([^/:]+):subscribe$/, subscribed],
  [
    'POST',
    /^\/tasks\/([^/:]+)\/pushNotificationConfigs$/,
    async (call, handler, context, taskId = '') => {
      const config = { ...TaskPushNotificationConfig.fromJSON(call.body), taskId };
      return json(
        call,
        TaskPushNotificationConfig.toJSON(await handler.createTaskPushNotificationConfig(config, context)),
      );
    },
  ],
  [
    'GET',
    /^\/tasks\/([^/:]+)\/pushNotificationConfigs$/,
    async (call, handler, context, taskId = '') => {
      const pageSize = numberIn(call.query, 'pageSize') ?? 0;
      const asked = { tenant: '', taskId, pageSize, pageToken: call.query.get('pageToken') ?? '' };
      const { configs, nextPageToken } = await handler.listTaskPushNotificationConfigs(asked, context);
      const answer = ListTaskPushNotificationConfigsResponse.toJSON({ configs, nextPageToken }) as object;
      return json(call, { configs: [], ...answer });
    },
  ],
  [
    'GET',
    /^\/tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/,
    async (call, handler, context, taskId = '', id = '') =>
      json(
        call,
        TaskPushNotificationConfig.toJSON(
          await handler.getTaskPushNotificationConfig({ tenant: '', taskId, id }, context),
        ),
      ),
  ],
  [
    'DELETE',
    /^\/tasks\/([^/:]+)\/pushNotificationConfigs\/([^/]+)$/,
    async (call, handler, context, taskId = '', id = '') => {
      await handler.deleteTaskPushNotificationConfig({ tenant: '', taskId, id }, context);
      return json(call, {});
    },
  ],
  [
    'GET',
    /^\/extendedAgentCard$/,
    async (call, handler, context) =>
      json(call, await handler.getAuthenticatedExtendedAgentCard({ tenant: '' }, context)),
  ],
];

/** @throws A2AError, Fault */
export async function restAnswer(call: RestCall, handler: Handler, context: Context): Promise<Response> {
  for (const [method, path, route] of routes) {
    const names = method === call.method ? path.exec(call.path) : null;
    if (names) return route(call, handler, context, ...names.slice(1).map(decoded));
  }
  throw new Fault('NOT_FOUND', `There is no ${call.method} ${call.path.slice(0, 200)} of an agent.`, {
    hint: 'See its card for what it offers.',
  });
}

async function subscribed(_: RestCall, handler: Handler, context: Context, id = ''): Promise<Response> {
  return streamOf(handler.resubscribe({ tenant: '', id }, context), toFrame);
}

async function listed(call: RestCall, handler: Handler, context: Context): Promise<Response> {
  const { query } = call;
  const status = query.get('status');
  const includeArtifacts = query.get('includeArtifacts') === 'true';
  const asked = {
    ...{ tenant: '', contextId: query.get('contextId') ?? '', pageToken: query.get('pageToken') ?? '' },
    status: status ? taskStateFromJSON(status) : TaskState.TASK_STATE_UNSPECIFIED,
    ...{ pageSize: numberIn(query, 'pageSize'), historyLength: numberIn(query, 'historyLength') },
    ...{ statusTimestampAfter: query.get('statusTimestampAfter') ?? undefined, includeArtifacts },
  };
  const answer = await handler.listTasks(asked, context);
  const { tasks = [], ...rest } = ListTasksResponse.toJSON(answer) as { tasks?: object[] };
  const whole = includeArtifacts ? tasks.map((task) => ({ artifacts: [], ...task })) : tasks;
  const { nextPageToken, pageSize, totalSize } = answer;
  return json(call, { ...rest, tasks: whole, nextPageToken, pageSize, totalSize });
}

const toFrame = (event: StreamResponse): string => formatSSEEvent(StreamResponse.toJSON(event));

/**
 * An event stream. Its first event is awaited, so that what cannot begin fails as any other call does.
 *
 * @throws what the first event throws
 */
export async function streamOf<T>(events: AsyncGenerator<T>, frame: (event: T) => string): Promise<Response> {
  const encoder = new TextEncoder();
  let next: IteratorResult<T> | null = await events.next();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = next ?? (await events.next());
      next = null;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(frame(value)));
    },
    cancel: async () => void (await events.return(undefined)),
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
  return new Response(body, { headers });
}

/** A failure as this binding says it. */
export function restFailure(error: unknown): { status: number; body: object } {
  if (error instanceof A2AError) {
    const status = restStatusFor(error);
    return { status, body: toRestErrorBody(error, status) };
  }
  const { status, code, text } = error as Fault;
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'rivulet', metadata: {} },
  ];
  return {
    status,
    body: { error: { code: status, status: namesOfStatus[status] ?? 'UNKNOWN', message: text, details } },
  };
}

const namesOfStatus: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'FAILED_PRECONDITION',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new RequestMalformedError(`${name}: a whole number.`);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new RequestMalformedError('The path is not percent-encoded as it has to be.');
  }
}
