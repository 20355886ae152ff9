// The profiles of an identity as forms: personality, work and tools, memory, hydration, messaging.
import type { Client } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { RecordForm, type Section } from '../../ui/record-form.tsx';
import { Loaded } from '../../ui/states.tsx';
import {
  flatMemory,
  hydrationSections,
  memoryOf,
  memorySections,
  messagingSections,
  personalitySections,
  toolSections,
  workSections,
} from './profile-sections.ts';

interface ProfileProps<T extends object> {
  name: string;
  load: () => Promise<T>;
  save: (value: T) => Promise<T>;
  sections: Section<keyof T & string>[];
}

function Profile<T extends object>({ name, load, save, sections }: ProfileProps<T>) {
  const profile = useResource(name, load);
  return (
    <Loaded resource={profile}>
      {(value) => (
        <RecordForm
          draft={name}
          value={value}
          sections={sections}
          mayChange={may('IdentitiesWrite')}
          onSave={async (wanted) => {
            const saved = await save(wanted);
            profile.put(() => saved);
          }}
        />
      )}
    </Loaded>
  );
}

export function Personality({ id }: { id: number }) {
  const params = { identityId: id };
  return (
    <Profile
      name={`personality.${id}`}
      load={() => client.identityProfiles.personality({ params })}
      save={(body) => client.identityProfiles.setPersonality({ params, body })}
      sections={personalitySections}
    />
  );
}

export function Work({ id }: { id: number }) {
  const params = { identityId: id };
  const roles = useResource('work roles', () => client.agentRoles.list({ query: { pageSize: 200 } }));
  const profiles = useResource('work tool profiles', () => client.agentToolProfiles.list({ query: { pageSize: 200 } }));
  return (
    <>
      <Loaded resource={roles}>
        {({ items }) => (
          <Profile
            name={`work.${id}`}
            load={() => client.identityProfiles.workProfile({ params })}
            save={({ roleDefinitionId, toolProfileName, tags }) =>
              client.identityProfiles.setWorkProfile({ params, body: { roleDefinitionId, toolProfileName, tags } })
            }
            sections={workSections(
              items.map(({ id: roleId, name }) => [String(roleId), name] as const),
              (profiles.data?.items ?? []).map(({ name }) => [name, name] as const),
            )}
          />
        )}
      </Loaded>
      <Profile
        name={`tools.${id}`}
        load={() => client.identityProfiles.toolProfile({ params })}
        save={({ name, description, safeTools, optInTools, blockedTools }) =>
          client.identityProfiles.setToolProfile({
            params,
            body: { name: name || t('Own tools'), description, safeTools, optInTools, blockedTools },
          })
        }
        sections={toolSections}
      />
    </>
  );
}

export function MemoryConfig({ id }: { id: number }) {
  const params = { identityId: id };
  return (
    <Profile
      name={`memory.${id}`}
      load={async () => flatMemory(await client.identityProfiles.memoryConfig({ params }))}
      save={async (flat) => flatMemory(await client.identityProfiles.setMemoryConfig({ params, body: memoryOf(flat) }))}
      sections={memorySections}
    />
  );
}

export function Hydration({ id }: { id: number }) {
  const params = { identityId: id };
  type Body = NonNullable<Parameters<Client['hydrationConfig']['replace']>[0]>['body'];
  return (
    <Profile
      name={`hydration.${id}`}
      load={() => client.hydrationConfig.get({ params })}
      save={(body) => client.hydrationConfig.replace({ params, body: body as Body })}
      sections={hydrationSections}
    />
  );
}

export function Messaging({ id }: { id: number }) {
  const params = { identityId: id };
  const others = useResource('messaging identities', () =>
    client.identities.list({ query: { pageSize: 200, sort: 'name' } }),
  );
  return (
    <Loaded resource={others}>
      {({ items }) => (
        <Profile
          name={`messaging.${id}`}
          load={() => client.identityProfiles.messagingPolicy({ params })}
          save={(body) => client.identityProfiles.setMessagingPolicy({ params, body })}
          sections={messagingSections(
            items.filter((one) => one.id !== id).map((one) => [String(one.id), one.displayName || one.name] as const),
          )}
        />
      )}
    </Loaded>
  );
}
