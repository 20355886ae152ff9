// What runs and chats of an identity are told at each turn, and how much of it.
import { z } from 'zod';
import { HydrationSource } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { fields, int32 } from '../../contract/types.ts';
import { IdentityHydrationConfig } from '../identities/profiles/dto.ts';

const limit = int32.min(0).max(500);
const sources = z.array(HydrationSource).max(HydrationSource.options.length);

export const hydrationConfig = group(
  'HydrationConfig',
  { base: '/api/identities/{identityId}/hydration-config', doc: 'What agents are told at each turn.' },
  {
    get: op.get('', {
      doc: 'What runs and chats of the identity are told.',
      needs: 'IdentitiesRead',
      data: IdentityHydrationConfig,
    }),
    replace: op.put('', {
      doc: 'Replace it. A preset names sources, enabledSources add to it, disabledSources take from both.',
      needs: 'IdentitiesWrite',
      body: fields({
        preset: z.enum(['lean', 'interactive', 'all', 'agent-minimal', 'custom']),
        disabledSources: sources,
        enabledSources: sources,
        identityMemoryLimit: limit,
        pinnedMemoryLimit: limit,
        recentMemoryLimit: limit,
        projectMemoryLimit: limit,
        projectLimit: limit,
        taskLimit: limit,
        taskMinPriority: int32.min(0).max(100),
        keyFactLimit: limit,
        factLimit: limit,
        minFactImportance: int32.min(0).max(10),
        pendingReplyLimit: limit,
        generateSystemPrompt: IdentityHydrationConfig.shape.generateSystemPrompt,
        surfacedMemoryEnabled: IdentityHydrationConfig.shape.surfacedMemoryEnabled,
        standingRulesMode: z.enum(['off', 'triggered', 'summary', 'full']),
      }),
      data: IdentityHydrationConfig,
    }),
  },
);
