// Carries out another operation for a caller, as a request of theirs would.
import type { z } from 'zod';
import type { Caller } from '../contract/caller.ts';
import type { AnyOperation, Group } from '../contract/operation.ts';

type Given<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

/** What is sent with it. */
export interface Sent<O extends AnyOperation> {
  params?: Readonly<Record<string, number | string>>;
  query?: Given<O['query']>;
  body?: Given<O['body']>;
}

/**
 * Checks the caller's permission and project, reads query and body by their schemas, and calls the handler.
 *
 * @throws Fault FORBIDDEN, VALIDATION_FAILED, and what the operation throws
 */
export type Perform = <G extends Group, Verb extends keyof G['operations'] & string>(
  of: G,
  verb: Verb,
  caller: Caller,
  sent?: Sent<G['operations'][Verb]>,
) => Promise<z.output<G['operations'][Verb]['data']>>;
