// Transforms of fields by JSONata expressions, which reach nothing but their input.
import jsonata from 'jsonata';
import { Fault } from '../kernel/fault.ts';
import { createThread } from './thread.ts';

const thread = createThread(
  `async function work(jsonata, { steps }) {
    const results = [];
    for (const { expression, value, record } of steps) {
      const result = await jsonata(expression).evaluate(value, { record });
      results.push(result === undefined ? null : result);
    }
    return results;
  }`,
  'jsonata',
);

export interface Step {
  expression: string;
  /** What `$` stands for. */
  value: unknown;
  /** What `$record` stands for: all fields of the call or of the answer. */
  record: unknown;
}

/** Milliseconds that all transforms of one call may take. */
const timeoutMs = 1000;

/** @throws Fault VALIDATION_FAILED for text that is no expression */
export function checkExpression(expression: string): void {
  try {
    jsonata(expression);
  } catch (error) {
    throw new Fault('VALIDATION_FAILED', `transformExpression: ${(error as Error).message}`, {
      field: 'transformExpression',
      hint: 'Write a JSONata expression over the value, e.g. $uppercase($) or $number($) * 100.',
    });
  }
}

/** The values of steps, in order; null where an expression finds nothing. @throws Fault CONNECTOR_ERROR, CONNECTOR_TIMEOUT */
export async function transformed(steps: readonly Step[]): Promise<unknown[]> {
  if (steps.length === 0) return [];
  try {
    return (await thread.ask({ steps }, timeoutMs)) as unknown[];
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('CONNECTOR_ERROR', `A transform failed: ${(error as Error).message}`, { isFinal: true });
  }
}
