// Names of keys in Redis. All keys of a tenant share a hash tag, so that one event reaches its topics in one step.

export interface TopicNames {
  meta: string;
  stream: string;
  channel: string;
}

/** Tenant prefix of a topic's key, `1/` of `1/runs`. */
export const tenantOf = (key: string): string => key.slice(0, key.indexOf('/') + 1);

const tagOf = (key: string): string => key.slice(0, key.indexOf('/'));

/** Keys and channel names of a topic. */
export function namesOf(prefix: string, key: string): TopicNames {
  const base = `${prefix}:{${tagOf(key)}}`;
  return { meta: `${base}:m:${key}`, stream: `${base}:s:${key}`, channel: `${base}:c:${key}` };
}

/** The topic of a channel. */
export const keyOfChannel = (channel: string): string => channel.slice(channel.indexOf('}:c:') + 4);

/** Key of durable events that the store has not confirmed yet, by time. */
export const unstoredName = (prefix: string, key: string): string => `${prefix}:{${tagOf(key)}}:unstored`;

/** Key of the highest fencing token of a scope. */
export const fenceName = (prefix: string, key: string, scope: string): string => `${prefix}:{${tagOf(key)}}:f:${scope}`;

export const signalChannel = (prefix: string): string => `${prefix}:signal`;
