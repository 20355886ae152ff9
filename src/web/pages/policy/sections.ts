// The fields of the tenant's policy, by what they are about.
import type { Client, EscalationTimeoutAction, RegistrationMode, UserRole } from '../../../client/index.ts';
import type { Section } from '../../ui/record-form.tsx';

export type Policy = Awaited<ReturnType<Client['tenantPolicy']['get']>>;

const modes: RegistrationMode[] = ['Open', 'InviteOnly', 'Closed'];
const roles: UserRole[] = ['Owner', 'Admin', 'Operator', 'Member', 'Viewer', 'Agent'];
const actions: EscalationTimeoutAction[] = ['UseRecommendation', 'Proceed', 'Fail', 'Cancel', 'KeepWaiting'];

const patterns = 'One per line; a trailing * matches the rest of a name.';

/** `words` turns a name such as InviteOnly into words. */
export function policySections(words: (name: string) => string): Section<keyof Policy>[] {
  const named = (names: readonly string[]) => names.map((one) => [one, words(one)] as const);
  return [
    {
      title: 'Sign-in',
      fields: [
        { key: 'registrationMode', label: 'Registration', kind: 'choice', options: named(modes) },
        { key: 'passwordMinLength', label: 'Minimum password length', kind: 'number' },
        { key: 'requireEmailConfirmation', label: 'Require a confirmed e-mail address', kind: 'check' },
        { key: 'mfaRequiredForRoles', label: 'MFA required for', kind: 'choices', options: named(roles) },
        { key: 'allowDynamicClients', label: 'Allow OAuth clients to register themselves', kind: 'check' },
      ],
    },
    {
      title: 'Sessions and requests',
      fields: [
        { key: 'sessionIdleMinutes', label: 'Idle timeout, minutes', kind: 'number' },
        { key: 'sessionAbsoluteHours', label: 'Session lifetime, hours', kind: 'number' },
        { key: 'accessTokenMinutes', label: 'Access token lifetime, minutes', kind: 'number' },
        { key: 'requestsPerMinutePerKey', label: 'Requests per minute and key', kind: 'number' },
      ],
    },
    {
      title: 'Models and tools',
      fields: [
        { key: 'allowedModelIds', label: 'Allowed models', kind: 'lines', hint: 'One per line; empty allows all.' },
        { key: 'blockedTools', label: 'Blocked tools', kind: 'lines', hint: patterns },
        { key: 'humanApprovalTools', label: 'Tools that need approval', kind: 'lines', hint: patterns },
        { key: 'sandboxedTools', label: 'Sandboxed tools', kind: 'lines', hint: patterns },
      ],
    },
    {
      title: 'Runs',
      fields: [
        { key: 'maxSpawnDepth', label: 'Maximum spawn depth', kind: 'number' },
        { key: 'swarmChildCeiling', label: 'Maximum child identities', kind: 'number' },
        { key: 'maxConcurrentRuns', label: 'Maximum concurrent runs', kind: 'number' },
        { key: 'maxRunWallClockMs', label: 'Maximum run duration, ms', kind: 'number' },
        { key: 'maxRunCostUsd', label: 'Maximum cost of a run, USD', kind: 'number', orNone: true },
        { key: 'monthlyCostCapUsd', label: 'Maximum cost of a month, USD', kind: 'number', orNone: true },
      ],
    },
    {
      title: 'Escalations',
      fields: [
        { key: 'escalationTimeoutMinutes', label: 'Timeout, minutes', kind: 'number' },
        { key: 'escalationTimeoutAction', label: 'On timeout', kind: 'choice', options: named(actions) },
        {
          key: 'supervisorAutoResolveConfidence',
          label: 'Supervisor decides alone from confidence',
          kind: 'number',
          hint: 'From 0 to 1.',
        },
      ],
    },
    {
      title: 'Network',
      fields: [
        { key: 'allowPrivateNetworkTargets', label: 'Allow targets on private networks', kind: 'check' },
        { key: 'allowExternalChannels', label: 'Allow external channels', kind: 'check' },
        {
          key: 'allowedConnectorHosts',
          label: 'Allowed connector hosts',
          kind: 'lines',
          hint: 'One per line; empty allows all.',
        },
      ],
    },
    {
      title: 'Personal data',
      fields: [
        {
          key: 'scrubPersonalData',
          label: 'Take personal data out of what agents remember and imports bring',
          kind: 'check',
        },
        { key: 'memoryEncryptionRequired', label: 'Require encrypted memories', kind: 'check' },
      ],
    },
    {
      title: 'Retention',
      fields: [
        { key: 'eventRetentionDays', label: 'Events, days', kind: 'number' },
        { key: 'logRetentionDays', label: 'Log, days', kind: 'number' },
        { key: 'auditRetentionDays', label: 'Audit log, days', kind: 'number' },
        { key: 'chatRetentionDays', label: 'Chats, days', kind: 'number', orNone: true, hint: 'Empty keeps them.' },
      ],
    },
  ];
}
