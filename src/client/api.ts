// The shape of the typed client: each operation of the contracts as a function, at type level only, so that no schema is bundled.
import type { z } from 'zod';
import type { MultipartBody } from '../contract/multipart.ts';
import type { AnyOperation, Group, Params } from '../contract/operation.ts';

/** What goes with any call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Sent as `Idempotency-Key`: a repeated POST with the same key answers as the first one did. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

type Sent<S> = S extends z.ZodUndefined
  ? undefined
  : S extends z.ZodType
    ? z.input<S>
    : S extends MultipartBody
      ? FormData
      : undefined;

/** A part of the input: absent when the operation takes none, optional when nothing in it is required. */
type Part<Key extends string, T> = [T] extends [undefined]
  ? unknown
  : undefined extends T
    ? { [K in Key]?: T }
    : object extends T
      ? { [K in Key]?: T }
      : { [K in Key]: T };

export type CallInput<O extends AnyOperation, Base extends string = ''> = Part<
  'params',
  unknown extends Params<`${Base}${O['path']}`> ? undefined : Params<`${Base}${O['path']}`>
> &
  Part<'query', Sent<O['query']>> &
  Part<'body', Sent<O['body']>>;

/** Files and streams are answered as the `Response` itself; all else as the envelope's `data`. */
export type CallResult<O extends AnyOperation> = O['reply'] extends 'file' | 'stream' ? Response : z.output<O['data']>;

export type Call<O extends AnyOperation, Base extends string = ''> =
  object extends CallInput<O, Base>
    ? (input?: CallInput<O, Base> & CallOptions) => Promise<CallResult<O>>
    : (input: CallInput<O, Base> & CallOptions) => Promise<CallResult<O>>;

/** The typed client of a set of groups. */
export type Api<Groups extends Record<string, Group>> = {
  [G in keyof Groups]: {
    [K in keyof Groups[G]['operations']]: Call<Groups[G]['operations'][K], Groups[G]['base']>;
  };
};

/** Method and path of each operation, e.g. `{ agentRuns: { get: 'GET /api/agent/runs/{id}' } }`; `!` at the end marks files and streams. */
export type RouteTable = Readonly<Record<string, Readonly<Record<string, string>>>>;
