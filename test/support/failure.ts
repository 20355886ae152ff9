// Expects of answers that refuse.
import { expect } from 'vitest';
import type { Answer } from './test-server.ts';

/** An answer that fails with this status and code, and with a hint; `about` is found in what it says. */
export async function failure(
  call: Promise<Answer>,
  status: number,
  errorCode: string,
  about: RegExp = /./,
): Promise<Answer> {
  const answer = await call;
  expect({ status: answer.status, errorCode: answer.body.errorCode }).toEqual({ status, errorCode });
  expect(answer.body).toMatchObject({ ok: false, data: null, count: null });
  expect(answer.body.hint).toMatch(/./);
  expect(`${answer.body.error} ${answer.body.hint}`).toMatch(about);
  return answer;
}
