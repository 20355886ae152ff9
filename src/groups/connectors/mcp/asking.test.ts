import { describe, expect, it } from 'vitest';
import type { ToolQuestion } from '../../../../runtime/ports.ts';
import { formOf } from '../../../outside/mcp/questions.ts';
import { declining, type Step, stepAfter, stepOf } from './asking.ts';

const about = { server: 'Harbour', tool: 'dock' };
const form = (message: string) => {
  const requestedSchema = { type: 'object' as const, properties: { n: { type: 'integer' as const } } };
  return formOf({ message, requestedSchema }) as NonNullable<ReturnType<typeof formOf>>;
};
const asking = { forms: { a: form('First?'), b: form('Second?') }, requestState: 'opaque' };
const asked = (step: Step): ToolQuestion => (step as { asks: ToolQuestion }).asks;

describe('a call that asks', () => {
  it('asks one form after the other, again where an answer does not fit, and goes on with all', () => {
    const first = asked(stepOf(asking, about));
    expect(first.situation).toContain('First?');
    const again = asked(stepAfter({ kept: first.kept, decision: 'many' }, about));
    expect(again.situation).toMatch(/did not fit.*First\?/s);
    const second = asked(stepAfter({ kept: again.kept, decision: '1' }, about));
    expect(second.situation).toContain('Second?');
    expect(stepAfter({ kept: second.kept, decision: null }, about)).toEqual({
      goingOn: {
        inputResponses: { a: { action: 'accept', content: { n: 1 } }, b: { action: 'cancel' } },
        requestState: 'opaque',
      },
    });
  });

  it('goes on at once where it is only put off, and declines where nobody can be asked', () => {
    expect(stepOf({ forms: {}, requestState: 's' }, about)).toEqual({
      goingOn: { inputResponses: {}, requestState: 's' },
    });
    expect(declining(asking)).toEqual({
      goingOn: { inputResponses: { a: { action: 'decline' }, b: { action: 'decline' } }, requestState: 'opaque' },
    });
  });

  it('keeps no more than a run can', () => {
    expect(() => stepOf({ ...asking, requestState: 'x'.repeat(300_000) }, about)).toThrow(/more than a run can keep/);
  });
});
