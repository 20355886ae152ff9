// The tools that a session may use, as people choose among them.
import { enabledTools, isEnabled } from '../../../runtime/chat/generate.ts';
import type { ChatPorts } from '../../../runtime/chat/ports.ts';
import type { SessionRecord } from '../../../runtime/chat/records.ts';
import { standingOf } from '../../../runtime/systems/turn/tool-policy.ts';
import type { AvailableToolDto } from './dto.ts';

interface Query {
  q?: string | undefined;
  enabledOnly?: boolean | undefined;
}

export async function availableTools(
  ports: Pick<ChatPorts, 'tools' | 'briefings'>,
  session: SessionRecord,
  { q, enabledOnly }: Query,
  signal: AbortSignal,
): Promise<AvailableToolDto[]> {
  const [tools, briefing] = await Promise.all([ports.tools(session), ports.briefings.prepare(session, '', signal)]);
  const { policy } = briefing;
  const enabled = enabledTools(session, briefing);
  const wanted = q?.toLowerCase() ?? '';
  return tools
    .filter(({ name, displayName, description }) =>
      `${name} ${displayName} ${description}`.toLowerCase().includes(wanted),
    )
    .map((tool) => {
      const standing = standingOf(tool, policy);
      return {
        name: tool.name,
        displayName: tool.displayName,
        description: tool.description,
        category: tool.category,
        source: tool.source,
        risk: tool.risk,
        enabled: isEnabled(enabled, tool.name),
        allowedByPolicy: standing !== 'blocked',
        blockedReason:
          standing === 'blocked'
            ? tool.enabled === false
              ? 'It is switched off.'
              : `Blocked by ${policy?.layers.join(', ') ?? 'the policy'}.`
            : null,
      };
    })
    .filter(({ enabled }) => enabled || !enabledOnly);
}
