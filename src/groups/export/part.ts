// Exports as a part of the server.
import { perTenant } from '../../ports/tenanted.ts';
import { projectRecord } from '../../projects/record.ts';
import { createAccess } from '../chat/access.ts';
import { chatMessageSpec, chatSessionSpec } from '../chat/documents.ts';
import { settingOf } from '../identities/settings.ts';
import { soulOf } from '../identities/souls/mapping.ts';
import { writeSoul } from '../identities/souls/soul.ts';
import { part } from '../part.ts';
import { createArchives } from './archive.ts';
import { createShownBranch } from './branch.ts';
import { exports } from './contract.ts';
import { createReaches } from './reach.ts';
import { exportsService } from './service.ts';

export const exportsPart = part({
  records: [],
  contracts: [exports],
  serve: ({ db, auth, acting, clock, version, eventsOf }) => {
    const now = () => new Date(clock.now());
    const [sessions, messages] = [perTenant(db.collection(chatSessionSpec)), perTenant(db.collection(chatMessageSpec))];
    const identities = perTenant(auth.identities);
    const archives = createArchives({
      db,
      eventsOf,
      exportedBy: `rivulet/${version}`,
      about: async ({ identity }) => ({
        id: identity.guid,
        name: identity.name,
        displayName: identity.displayName,
        type: identity.type,
        bio: identity.bio,
        origin: identity.origin,
        soul: writeSoul(soulOf(identity, null)),
        tags: identity.tags,
        settings: {
          personality: identity.personality ?? null,
          soul: identity.soul ?? null,
          tools: identity.tools ?? null,
          messaging: identity.messaging ?? null,
          memory: identity.memory ?? null,
          hydration: identity.hydration ?? null,
          toolProfileName: settingOf(identity, 'work').toolProfileName,
        },
      }),
    });
    const reaches = createReaches({ identities, projects: perTenant(db.collection(projectRecord.spec)), acting, now });
    const access = createAccess({ sessions, messages });
    const branch = createShownBranch({ db });
    return [exportsService({ reaches, archives, access, branch, users: perTenant(auth.users), clock })];
  },
  samples: [],
});
