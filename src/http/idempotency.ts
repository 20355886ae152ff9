// Honours Idempotency-Key: the same request with the same key is carried out once and answered alike.
import { createHash } from 'node:crypto';
import type { Caller } from '../contract/caller.ts';
import { idempotencyKey } from '../contract/operation.ts';
import { Fault } from '../kernel/fault.ts';
import type { Attempt, IdempotencyStore, KeptAnswer } from '../ports/idempotency.ts';
import { carriedOutOnce } from '../ports/once.ts';

export interface IdempotentRequest {
  key: string;
  caller: Caller;
  operationId: string;
  /** Identifies the request: its path, query and a digest of its body. */
  content: readonly string[];
}

export interface Replayable {
  answer: KeptAnswer;
  replayed: boolean;
}

/** Stands for an answer that cannot be kept, such as a stream; no JSON text is empty. */
export const unkept = '';

/**
 * Carries `work` out unless its answer is known.
 *
 * @throws Fault BAD_REQUEST for an unusable key, IDEMPOTENCY_MISMATCH, CONFLICT while the first request is under way
 */
export async function once(
  store: IdempotencyStore,
  request: IdempotentRequest,
  work: () => Promise<KeptAnswer>,
): Promise<Replayable> {
  const { key, caller, operationId, content } = request;
  if (!idempotencyKey.test(key))
    throw new Fault('BAD_REQUEST', 'The Idempotency-Key is not usable.', {
      hint: 'Use 1 to 200 visible ASCII characters, e.g. a UUID.',
    });
  const name = digest(`${caller.tenantId} ${caller.identityId} ${caller.userId} ${operationId} ${key}`);
  const claim = await store.claim(name, digest(content.join('\n')));
  switch (claim.state) {
    case 'done':
      if (claim.answer.body === unkept)
        throw new Fault('CONFLICT', 'The first request with this Idempotency-Key was answered with a stream.', {
          hint: 'What it started goes on: follow it with GET.',
        });
      return { answer: claim.answer, replayed: true };
    case 'mismatch':
      throw new Fault('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was used with a different request.', {
        hint: 'Use a new key for a new request.',
      });
    case 'running':
      throw new Fault('CONFLICT', 'The first request with this Idempotency-Key is still being carried out.', {
        hint: 'Try again in a second.',
        retryAfterSeconds: 1,
      });
    case 'claimed':
      return { answer: await carryOut(claim.attempt, work), replayed: false };
  }
}

async function carryOut(attempt: Attempt, work: () => Promise<KeptAnswer>): Promise<KeptAnswer> {
  let answer: KeptAnswer;
  try {
    answer = await carriedOutOnce(attempt.scope, work);
  } catch (error) {
    await attempt.release();
    throw error;
  }
  await attempt.complete(answer);
  return answer;
}

/** SHA-256, short enough for a key. */
export const digest = (text: string | Uint8Array) => createHash('sha256').update(text).digest('base64url');
