// Puts the gateway together from the environment's settings: what the composition root calls.
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { CallRecord } from './gateway/call-record.ts';
import { createGateway, type Gateway } from './gateway/gateway.ts';
import { openByKind } from './gateway/open-by-kind.ts';
import type { CallPolicy, ModelSettings } from './providers/settings.ts';
import { listServerModels } from './routing/list-models.ts';
import { createSettingsDirectory } from './routing/settings-directory.ts';
import { createScriptedProvider } from './scripted/provider.ts';
import type { ScenarioInput } from './scripted/scenario.ts';

export interface ModelsDeps {
  settings: ModelSettings;
  clock: Clock;
  logger: Logger;
  policy?: () => CallPolicy;
  random?: () => number;
  onCall?: (record: CallRecord) => void;
  /** Scenarios by name, beside the built-in ones and those of the folder. */
  scenarios?: Record<string, ScenarioInput>;
}

/**
 * The gateway over the providers that the environment configures.
 *
 * @example const models = createModels({ settings: config, clock: systemClock, logger });
 */
export function createModels({ settings, scenarios, ...deps }: ModelsDeps): Gateway {
  const scripted = createScriptedProvider({ clock: deps.clock, directory: settings.scenariosDir, scenarios });
  return createGateway({
    ...deps,
    directory: createSettingsDirectory(settings, listServerModels),
    open: openByKind(scripted),
  });
}
