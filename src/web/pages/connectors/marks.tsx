// Marks of connectors: how the last verification ended; of MCP servers and their tools: how they stand.
import type { ConnectorDto, McpToolDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';

/** What a connector is: of the type Custom there are agents only. */
export const typeName = ({ type }: Pick<ConnectorDto, 'type'>): string =>
  type === 'Custom' ? t('Agent (A2A)') : words(type);

/** Whether endpoints can be made of it; mail has tools of its own. */
export const hasEndpoints = (one: Pick<ConnectorDto, 'type'>): boolean => !hasFoundTools(one) && one.type !== 'Email';

/** Whether its tools are found on it, not made as endpoints. */
export const hasFoundTools = ({ type }: Pick<ConnectorDto, 'type'>): boolean => type === 'Mcp' || type === 'Custom';

const looks: Readonly<Record<string, readonly [Shape, Tone, string]>> = {
  Ok: ['tick', 'good', t('Works')],
  AuthFailed: ['cross', 'bad', t('Credentials refused')],
  Unreachable: ['cross', 'bad', t('Not reached')],
  Timeout: ['clock', 'warn', t('Too slow')],
  Misconfigured: ['cross', 'warn', t('Not set up')],
};

export function Verification({ status, enabled }: { status: string | null; enabled: boolean }) {
  const [shape, tone, text] = looks[status ?? ''] ?? (['hollow', 'plain', t('Not verified')] as const);
  return enabled ? (
    <Chip shape={shape} tone={tone}>
      {text}
    </Chip>
  ) : (
    <Chip shape="bars" tone="warn">
      {t('Disabled')}
    </Chip>
  );
}

const serverLooks: Readonly<Record<ConnectorDto['mcpStatus'], readonly [Shape, Tone]>> = {
  NotConfigured: ['hollow', 'plain'],
  Disconnected: ['hollow', 'plain'],
  Connecting: ['flow', 'accent'],
  Connected: ['tick', 'good'],
  Degraded: ['gauge', 'warn'],
  AuthRequired: ['gate', 'warn'],
  Failed: ['cross', 'bad'],
  Disabled: ['bars', 'warn'],
};

export function McpServer({ status }: { status: ConnectorDto['mcpStatus'] }) {
  const [shape, tone] = serverLooks[status];
  return (
    <Chip shape={shape} tone={tone}>
      {words(status)}
    </Chip>
  );
}

const riskLooks = { Safe: ['tick', 'good'], Moderate: ['gauge', 'warn'], Dangerous: ['cross', 'bad'] } as const;

export function Risk({ risk }: { risk: McpToolDto['risk'] }) {
  const [shape, tone] = riskLooks[risk];
  return (
    <Chip shape={shape} tone={tone}>
      {words(risk)}
    </Chip>
  );
}

/** Whether agents may use a tool, and why not. */
export function McpToolMark({ tool }: { tool: McpToolDto }) {
  const [shape, tone, text] = toolLook(tool);
  return (
    <Chip shape={shape} tone={tone}>
      {text}
    </Chip>
  );
}

function toolLook({ state, enabled, waiting }: McpToolDto): readonly [Shape, Tone, string] {
  if (state === 'Gone') return ['hollow', 'plain', t('Gone')];
  if (waiting) return ['gate', 'warn', state === 'New' ? t('New: look at it') : t('Changed: look at it')];
  return enabled && state === 'Accepted' ? ['tick', 'good', t('In use')] : ['bars', 'plain', t('Kept from agents')];
}
