// The demo: what it is while no model is configured, and one more run of it.
import type { AgentRunDto } from '../../client/index.ts';
import { t } from '../base/i18n.ts';
import { client, may, server } from './app.ts';

/** True while scripts answer for want of a model, and this person may run them. */
export const mayRunDemo = (): boolean =>
  may('RunsWrite') && (server.get()?.info.features.includes('scripted-only') ?? false);

export function startDemo(): Promise<AgentRunDto> {
  const body = { goal: t('Demo: show what a run looks like'), modelId: 'scripted:demo', autoStart: true };
  return client.agentRuns.create({ body });
}
