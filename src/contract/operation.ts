// Declares operations: one declaration gives routing, validation, types, permission, OpenAPI and the typed client.
import type { z } from 'zod';
import type { Fault } from '../kernel/fault.ts';
import type { Caller } from './caller.ts';
import type { Permission } from './enums.ts';
import { isMultipart, type MultipartBody, type MultipartInput } from './multipart.ts';
import type { FailureReply, FileReply, JsonText, StreamReply } from './replies.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Who may call: a permission, any signed-in caller (`self`), or anybody (`public`). */
export type Needs = Permission | 'self' | 'public';
/** How the answer travels: enveloped JSON, JSON as it is, an event stream, or bytes. */
export type Reply = 'envelope' | 'raw' | 'stream' | 'file';

/** Path parameters that are text; every other one is an int64. */
export const textParams = [
  'name',
  'key',
  'tag',
  'slug',
  'username',
  'uid',
  'identityRef',
  'role',
  'provider',
  'jobId',
  'conversationId',
  'path',
  'token',
  'clientId',
  'code',
  'responseId',
  'topic',
] as const;
/** Path parameters that are the rest of a path, slashes and all; each the last of its template. */
export const restParams = ['model'] as const;
type TextParam = (typeof textParams)[number] | (typeof restParams)[number];

export type Params<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: K extends TextParam ? string : number } & Params<Rest>
  : unknown;

export interface OperationSpec<
  Query extends z.ZodType,
  Body extends z.ZodType | MultipartBody,
  Data extends z.ZodType,
> {
  /** One sentence, imperative. */
  doc: string;
  needs: Needs;
  /**
   * Only with `needs: 'self'`: any key of the caller is enough, since the operation gives no more rights than the key
   * has. Otherwise it is an operation on the account, which takes a session of the person or a key that says so.
   */
  byAnyKey?: boolean;
  /**
   * A path parameter that names an organisation unit: who manages the unit, or one above it, may call without the
   * permission.
   */
  inUnit?: string;
  /** Only with `needs: 'public'`: who signs in all the same is known to the handler; otherwise `caller` is null. */
  knowsCaller?: boolean;
  query?: Query;
  body?: Body;
  /** The body may come as a form (application/x-www-form-urlencoded) too, whose fields are texts. */
  takesForm?: boolean;
  data: Data;
  /** `envelope` unless said otherwise. */
  reply?: Reply;
  /** The handler may answer with a StreamReply when the client asks for text/event-stream. */
  streams?: boolean;
  /** The handler may answer with a FileReply of `mediaType` instead. */
  orFile?: boolean;
  /** The handler answers with the JSON text of its data, which it keeps or has from the store. */
  keepsText?: boolean;
  /** Topic that the answer's stream shows, by its template: `chat:{sessionId}`. A ticket for other topics does not open it. */
  topic?: string;
  /** Media type of a file or raw answer, or those that it may have. */
  mediaType?: string | string[];
  /** Statuses that a success has, where they are not 200 alone. */
  succeedsBy?: readonly number[];
  /** The handler reads the body itself, from `request.bytes`, whatever its type: signatures are over bytes. `body` describes it. */
  takesBytes?: boolean;
  /** Largest body in bytes; 1 MiB unless said otherwise. */
  maxBodyBytes?: number;
  /** Milliseconds the handler may take before the answer is 503; 30 s unless said otherwise. Streams have none. */
  timeoutMs?: number;
  /** Credentials come in the body: an address with too many failures is refused before they are checked. */
  signsIn?: boolean;
  /** False switches `Idempotency-Key` off for a POST that neither creates nor starts anything. */
  idempotent?: boolean;
  /**
   * Whether the operation is written to the audit log. By default writes are, reads are not; denied attempts always
   * are.
   */
  audit?: boolean;
  /** The requests that its tenant allows each key do not count it: by it, a limit that was set too low is raised. */
  unmetered?: boolean;
  /** Format of its failures, for clients of another API; the envelope unless given. */
  failure?: (fault: Fault, requestId: string) => FailureReply;
}

export interface Operation<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType | MultipartBody = z.ZodType | MultipartBody,
  Data extends z.ZodType = z.ZodType,
> extends OperationSpec<Query, Body, Data> {
  method: Method;
  path: Path;
}

/** True for operations that have nothing to answer but a stream, whatever is asked for. */
export const answersOnlyStreams = ({ reply, mediaType }: Pick<AnyOperation, 'reply' | 'mediaType'>): boolean =>
  reply === 'stream' || mediaType === 'text/event-stream';

/** What an `Idempotency-Key` may be. */
export const idempotencyKey = /^[\x21-\x7e]{1,200}$/;

/** True for JSON bodies whose fields can all be left out: a request without a body means one without fields. */
export const bodyIsOptional = (body: z.ZodType | MultipartBody | undefined): boolean =>
  body !== undefined && !isMultipart(body) && !body.safeParse(undefined).success && body.safeParse({}).success;

const declare =
  (method: Method) =>
  <
    Path extends string,
    Data extends z.ZodType,
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType | MultipartBody = z.ZodUndefined,
    const Kind extends Reply = 'envelope',
    const Streams extends boolean = false,
    const OrFile extends boolean = false,
    const KeepsText extends boolean = false,
  >(
    path: Path,
    spec: OperationSpec<Query, Body, Data> & {
      reply?: Kind;
      streams?: Streams;
      orFile?: OrFile;
      keepsText?: KeepsText;
    },
  ) => ({
    ...spec,
    method,
    path,
    reply: (spec.reply ?? 'envelope') as Kind,
    streams: (spec.streams ?? false) as Streams,
    orFile: (spec.orFile ?? false) as OrFile,
    keepsText: (spec.keepsText ?? false) as KeepsText,
  });

/**
 * Declares one operation.
 *
 * @example op.post('/{id}/confirm', { doc: 'Say that a rule still holds.', needs: 'RulesWrite', data: StandingRule })
 */
export const op = {
  get: declare('GET'),
  post: declare('POST'),
  put: declare('PUT'),
  patch: declare('PATCH'),
  delete: declare('DELETE'),
};

// biome-ignore lint/suspicious/noExplicitAny: the set of all operations, whatever their schemas
export type AnyOperation = Operation<any, any, any, any>;
export type Operations = Record<string, AnyOperation>;

export interface Group<Ops extends Operations = Operations> {
  /** Tag in OpenAPI; several groups may share one. */
  name: string;
  /** First part of the operationIds; the name unless several groups share it. */
  id: string;
  base: string;
  doc: string;
  operations: Ops;
}

/** A group of operations under one base path. Keys are verbs; the operationId is `<id>_<key>`. */
export function group<const Base extends string, Ops extends Operations>(
  name: string,
  about: { base: Base; doc: string; id?: string },
  operations: Ops,
): Group<Ops> & { base: Base } {
  return { name, id: name, ...about, operations };
}

type Out<S> = S extends z.ZodUndefined
  ? undefined
  : S extends z.ZodType
    ? z.output<S>
    : S extends MultipartBody
      ? MultipartInput<S>
      : never;
/** What a handler gives back, by the operation's kind of reply. */
export type Result<O extends AnyOperation> = O['reply'] extends 'stream'
  ? StreamReply
  : O['reply'] extends 'file'
    ? O['streams'] extends true
      ? FileReply | StreamReply
      : FileReply
    : O['streams'] extends true
      ? z.input<O['data']> | StreamReply
      : O['orFile'] extends true
        ? z.input<O['data']> | FileReply
        : O['keepsText'] extends true
          ? JsonText
          : z.input<O['data']>;

export interface Input<O extends AnyOperation, Base extends string = ''> {
  /** Parameters of the group's base path and of the operation's own. */
  params: Params<`${Base}${O['path']}`>;
  query: Out<O['query']>;
  body: Out<O['body']>;
  caller: Caller;
  request: RequestInfo;
}

/** What a handler may know of the request itself. */
export interface RequestInfo {
  id: string;
  /** Aborted when the client goes away or the server's deadline passes. */
  signal: AbortSignal;
  /** True when the client asked for text/event-stream. */
  wantsStream: boolean;
  /** Cursor of a stream, from the header `Last-Event-ID`, else from the query. */
  lastEventId: string | null;
  ip: string;
  userAgent: string | null;
  /** The body as it came, of operations that take bytes; empty for others. */
  readonly bytes: Uint8Array;
  header(name: string): string | undefined;
  /** Adds a header to the answer, by lower-case name. */
  answerWith(name: string, value: string): void;
}

export type Handler<O extends AnyOperation, Base extends string = ''> = (
  input: Input<O, Base>,
) => Result<O> | Promise<Result<O>>;
export type Handlers<G extends Group> = { [K in keyof G['operations']]: Handler<G['operations'][K], G['base']> };

/** A group with the handlers that carry it out. */
export interface Service<G extends Group = Group> {
  group: G;
  handlers: Handlers<G>;
}

/** A group with its handlers, whatever its operations: `implement` has held one against the other. */
export interface AnyService {
  group: Group;
  handlers: object;
}

/** Binds handlers to a contract; a missing handler or a wrong return type does not compile. */
export function implement<G extends Group, Deps>(
  contract: G,
  make: (deps: Deps) => Handlers<G>,
): (deps: Deps) => Service<G> {
  return (deps) => ({ group: contract, handlers: make(deps) });
}
