// A role as soul.md: Markdown whose headings an import reads back.
import type { RoleDoc } from './roles.ts';

/** The system prompt comes last, so that headings within it need no escaping. */
export function roleAsSoul(role: RoleDoc): string {
  const title = role.icon ? `# ${role.icon} ${role.displayName}` : `# ${role.displayName}`;
  const settings = [
    `- Role: ${role.name}`,
    `- Temperature: ${role.temperature}`,
    `- Max iterations: ${role.defaultMaxIterations}`,
    ...(role.fallbackModelId === null ? [] : [`- Fallback model: ${role.fallbackModelId}`]),
  ];
  const parts = [
    title,
    role.description?.trim(),
    `## Settings\n\n${settings.join('\n')}`,
    `## System Prompt\n\n${role.systemPromptTemplate.trim()}`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}
