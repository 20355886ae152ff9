// Who is told of what by each report policy, and once, however often a duty is done again.
import { expect, it } from 'vitest';
import type { RoutineReportPolicy, RoutineRunOutcome } from '../../../contract/enums.ts';
import { SimulatedClock } from '../../../kernel/simulated-clock.ts';
import type { LedgerDoc, RoutineDoc } from './record.ts';
import { createReports } from './reports.ts';

function open() {
  const known = new Set<string>();
  const sent: { key: string; content: string; priority: string }[] = [];
  const told: string[] = [];
  const reports = createReports({
    clock: new SimulatedClock(),
    publisher: { publish: async ({ type }) => void told.push(type) },
    people: async () => [{ _id: 7, userId: 3 }] as never,
    inbox: {
      send: async (message) => {
        const { key = '', content, priority } = message as unknown as (typeof sent)[number];
        const existed = known.has(key);
        known.add(key);
        if (!existed) sent.push({ key, content, priority });
        return { message: {} as never, existed };
      },
    },
  });
  return { reports, sent, told };
}

const routine = (reportPolicyId: RoutineReportPolicy) =>
  ({ _id: 1, tenantId: 1, identityId: 2, projectId: null, name: 'Tides', reportPolicyId }) as RoutineDoc;
const row = (outcomeId: RoutineRunOutcome) =>
  ({ _id: 9, outcomeId, agentRunId: 4, dueAt: new Date(0), reason: null, runSummary: 'High at nine.' }) as LedgerDoc;

const ended = ['Succeeded', 'NoChange', 'ThresholdMet', 'Failed', 'Cancelled'] as const;

it.each<[RoutineReportPolicy, string]>([
  ['Never', ''],
  ['OnFailure', 'Failed'],
  ['OnChange', 'Succeeded ThresholdMet'],
  ['OnThreshold', 'ThresholdMet'],
  ['Always', 'Succeeded NoChange ThresholdMet Failed Cancelled'],
])('%s tells of: %s', async (policy, wanted) => {
  const heard: string[] = [];
  for (const outcome of ended) {
    const { reports, sent, told } = open();
    await reports.ended(routine(policy), row(outcome));
    await reports.ended(routine(policy), row(outcome));
    expect(told).toEqual(sent.map(() => 'notification'));
    expect(sent.length).toBeLessThanOrEqual(1);
    if (sent[0]) {
      heard.push(outcome);
      expect(sent[0].content).toContain('High at nine.');
      expect(sent[0].priority).toBe(outcome === 'Failed' ? 'High' : 'Normal');
    }
  }
  expect(heard.join(' ')).toBe(wanted);
});

it('tells of a pause with its reason, whatever the policy', async () => {
  const { reports, sent } = open();
  await reports.paused(routine('Never'), row('Failed'), '3 runs failed in a row.');
  expect(sent).toMatchObject([{ content: expect.stringContaining('3 runs failed in a row.'), priority: 'High' }]);
});
