// Keeps the router's settings: a tenant has them once.
import { implement } from '../../../contract/operation.ts';
import { shown } from '../../../ports/shown.ts';
import { given } from '../../fields.ts';
import { keptSettings } from '../../kept-settings.ts';
import { AIRouterSettingsDto } from '../dto.ts';
import type { AiRouterStore } from '../store.ts';
import { aiSettings } from './contract.ts';

export const aiSettingsService = implement(aiSettings, ({ store }: { store: AiRouterStore }) =>
  keptSettings(aiSettings, store.settings, {
    owner: ({ tenantId }) => tenantId,
    show: (settings) => shown(AIRouterSettingsDto, settings),
    accept: async (body, caller) => {
      const routeIds = [
        body.defaultChatRouteId,
        body.defaultRunRouteId,
        body.defaultEmbeddingRouteId,
        body.supervisorRouteId,
        body.summaryRouteId,
      ];
      for (const routeId of routeIds) if (routeId != null) await store.routes.get(caller, routeId);
      return given(body);
    },
  }),
);
