// Roles and identities as somebody to talk to: the instructions that make a model speak as one of them.
import { anyModel } from '../../../../runtime/model.ts';
import type { Acting, Actor } from '../../../auth/acting.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { ownTemperature } from '../../identities/settings.ts';
import type { RoleDoc, Roles } from '../roles/roles.ts';
import { renderTemplate } from '../roles/template.ts';
import { personText } from './system-text.ts';

export interface Persona {
  /** As it is addressed: `role:coder`, `identity:Ada`. */
  name: string;
  instructions: string;
  /** `auto`, so that routes choose, or the route of the role. */
  modelId: string;
  fallbackModelIds: string[];
  temperature: number | null;
  role: string | null;
  identityId: number | null;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export interface Personas {
  /** All that the actor can talk to, by name. */
  list(actor: Actor): Promise<Persona[]>;
  /** The one of this name; null for any other name. @throws Fault OWNERSHIP_REQUIRED */
  find(actor: Actor, name: string): Promise<Persona | null>;
}

interface Deps {
  roles: Roles;
  identities: PerTenant<IdentityDoc>;
  acting: Acting;
  clock: Clock;
}

const address = /^(role|identity):(.+)$/s;
const isLive = { isActive: true, deletedAt: null } as const;

/** Enabled roles, and active identities that are no people: nobody is impersonated. */
export function createPersonas({ roles, identities, acting, clock }: Deps): Personas {
  const today = () => new Date(clock.now()).toISOString().slice(0, 10);
  return {
    async list(actor) {
      const { tenantId } = actor;
      const [ofRoles, ofIdentities] = await Promise.all([
        roles
          .of(tenantId)
          .find({ enabled: true, deletedAt: null }, { sort: { nameKey: 1 } })
          .toArray(),
        identities(tenantId)
          .find({ ...isLive, type: { $ne: 'Human' } }, { sort: { nameKey: 1 } })
          .toArray(),
      ]);
      return [
        ...ofRoles.map((role) => fromRole(role, today())),
        ...(await acting.among(actor, ofIdentities)).map((one) => fromIdentity(one, today())),
      ];
    },
    async find(actor, name) {
      const { tenantId } = actor;
      const [, kind, rest] = address.exec(name) ?? [];
      if (rest === undefined) return null;
      if (kind === 'role') {
        const role = await roles.findByName(tenantId, rest);
        return role?.enabled ? fromRole(role, today()) : null;
      }
      const identity = await identities(tenantId).findOne({
        ...isLive,
        type: { $ne: 'Human' },
        nameKey: rest.toLowerCase(),
      });
      if (identity) await acting.require(actor, identity._id);
      return identity && fromIdentity(identity, today());
    },
  };
}

function fromRole(role: RoleDoc, date: string): Persona {
  return {
    name: `role:${role.name}`,
    instructions: renderTemplate(role.systemPromptTemplate, {
      agent: role.displayName,
      role: role.displayName,
      goal: 'what you are asked in this conversation',
      date,
      deliverable: 'an answer that can be used as it is',
      destination: 'your answer',
    }),
    modelId: role.routeId === null ? anyModel : `route:${role.routeId}`,
    fallbackModelIds: role.fallbackModelId === null ? [] : [role.fallbackModelId],
    temperature: role.temperature,
    role: role.name,
    identityId: null,
    createdAt: role.createdAt.getTime(),
  };
}

function fromIdentity(identity: IdentityDoc, date: string): Persona {
  const about = `You are ${identity.displayName}. Today is ${date} (UTC).`;
  return {
    name: `identity:${identity.name}`,
    instructions: [about, personText(identity)].filter(Boolean).join('\n\n'),
    modelId: anyModel,
    fallbackModelIds: [],
    temperature: ownTemperature(identity) ?? null,
    role: null,
    identityId: identity._id,
    createdAt: identity.createdAt.getTime(),
  };
}
