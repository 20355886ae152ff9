// What can be the model of a call, by the name that OpenAI's clients give it.
import type { AsWritten, ModelRequest } from '../../../runtime/model.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ModelDoc, RouteDoc } from '../../ports/ai-router.ts';
import type { ModelRouter } from '../../ports/model-router.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import type { Persona, Personas } from '../agent/briefings/personas.ts';
import type { Prompt } from './chat-prompt.ts';
import type { OpenAIModel } from './dto.ts';

export interface NameDeps {
  router: ModelRouter;
  personas: Personas;
  models: PerTenant<ModelDoc>;
  routes: PerTenant<RouteDoc>;
  clock: Clock;
}

export interface Addressee {
  modelId: string;
  /** The persona that answers, where the name is that of a role or an identity. */
  persona: Persona | null;
}

export function createNames({ router, personas, models, routes, clock }: NameDeps) {
  /** When it was first offered here, where its release date is not known. */
  const since = clock.now();
  const names = {
    async list(caller: Caller): Promise<OpenAIModel[]> {
      const { tenantId } = caller;
      const enabled = { enabled: true } as const;
      const [own, ways, environment, people] = await Promise.all([
        models(tenantId)
          .find(enabled, { sort: { modelId: 1 } })
          .toArray(),
        routes(tenantId)
          .find(enabled, { sort: { nameKey: 1 } })
          .toArray(),
        router.environment(tenantId),
        personas.list(caller),
      ]);
      const listed = [
        ...own.map((model) => entry(model.modelId, model.createdAt.getTime(), model.modelId.split(':')[0] as string)),
        ...environment.flatMap(({ key, modelIds }) => modelIds.map((id) => entry(id, since, key))),
        ...ways.map((route) => entry(`route:${route.name}`, route.createdAt.getTime(), 'rivulet')),
        ...people.map(({ name, createdAt }) => entry(name, createdAt || since, 'rivulet')),
      ];
      return [...new Map(listed.map((model) => [model.id, model])).values()];
    },
    /** An entry of the list, by its name or an alias. @throws Fault NOT_FOUND */
    async get(caller: Caller, name: string): Promise<OpenAIModel> {
      const listed = (await names.list(caller)).find(({ id }) => id === name);
      if (listed) return listed;
      const { modelId } = await names.find(caller, name);
      return entry(name, since, modelId.includes(':') ? (modelId.split(':')[0] as string) : 'rivulet');
    },
    /** @throws Fault NOT_FOUND */
    async find(caller: Caller, name: string): Promise<Addressee> {
      const persona = await personas.find(caller, name);
      if (persona) return { modelId: persona.modelId, persona };
      const modelId = await router.stands(caller.tenantId, name);
      if (modelId !== null) return { modelId, persona: null };
      throw new Fault('NOT_FOUND', `The model "${name}" does not exist.`, {
        field: 'model',
        hint: 'List models with GET /v1/models.',
      });
    },
  };
  return names;
}

const entry = (id: string, createdAt: number, owner: string): OpenAIModel => ({
  id,
  object: 'model',
  created: Math.floor(createdAt / 1000),
  owned_by: owner,
});

/** The prompt as the addressee gets it: a persona's instructions first, then what the client says. */
export function addressed(prompt: Prompt, { modelId, persona }: Addressee): Prompt & Pick<ModelRequest, 'modelId'> {
  if (!persona) return { ...prompt, modelId };
  const { asWritten } = prompt;
  return {
    ...(persona.temperature !== null && { temperature: persona.temperature }),
    ...(persona.fallbackModelIds.length > 0 && { fallbackModelIds: persona.fallbackModelIds }),
    ...(persona.role !== null && { role: persona.role }),
    ...(persona.identityId !== null && { identityId: persona.identityId }),
    ...prompt,
    modelId,
    messages: [{ role: 'system', content: persona.instructions }, ...prompt.messages],
    ...(asWritten && { asWritten: { ...asWritten, body: spokenBy(persona, asWritten) } }),
  };
}

/** The same in the words of each wire. */
function spokenBy({ instructions, temperature }: Persona, { wire, body }: AsWritten): Record<string, unknown> {
  const own = temperature !== null && body.temperature == null ? { temperature } : {};
  switch (wire) {
    case 'chat': {
      if (!Array.isArray(body.messages)) return { ...own, ...body };
      return { ...body, ...own, messages: [{ role: 'system', content: instructions }, ...body.messages] };
    }
    case 'responses':
      return {
        ...body,
        ...own,
        instructions: body.instructions ? `${instructions}\n\n${body.instructions}` : instructions,
      };
    case 'messages': {
      const { system = [] } = body;
      const more = typeof system === 'string' ? [{ type: 'text', text: system }] : system;
      return { ...body, ...own, system: [{ type: 'text', text: instructions }, ...(more as unknown[])] };
    }
  }
}
