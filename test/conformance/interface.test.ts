// Holds every declared operation against the interface: path, permission, query and body fields, enumerations.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aboutPermissions } from '../../src/auth/about-permissions.ts';
import { impliedBy, rolePermissions } from '../../src/auth/permissions.ts';
import * as enums from '../../src/contract/enums.ts';
import { Permission } from '../../src/contract/enums.ts';
import { isMultipart } from '../../src/contract/multipart.ts';
import type { AnyOperation, Group } from '../../src/contract/operation.ts';
import { groups } from '../../src/groups/index.ts';
import { errorStatus } from '../../src/kernel/error-codes.ts';

const load = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
const listed: { group: string; method: string; path: string }[] = load('operations.json');
const extension: {
  group: string;
  method: string;
  path: string;
  request: Record<string, string>;
  permission: string;
}[] = load('operations-extension.json');
const requests: Record<string, Record<string, string>> = load('requests.json');
const permissions: Record<string, { permission: string }> = load('permissions.json').listed;
const { errorCodes, transitions: _, ...enumerations } = load('enums.json');

const key = (method: string, path: string) => `${method} ${path.replace(/\{[^}]+\}/g, '{}')}`;
const byKey = new Map([
  ...listed.map(
    (o) =>
      [
        key(o.method, o.path),
        { ...o, ...permissions[`${o.method} ${o.path}`], request: requests[`${o.method} ${o.path}`] },
      ] as const,
  ),
  ...extension.map((o) => [key(o.method, o.path), o] as const),
]);
const everything = Object.values(groups as Record<string, Group>).flatMap((group) =>
  Object.entries(group.operations).map(([verb, operation]) => ({
    id: `${group.id}_${verb}`,
    verb,
    group,
    operation,
    path: group.base + operation.path,
  })),
);

/** What OpenAI's own clients send besides what the interface names. */
const openAiFields = ['prompt_cache_key', 'safety_identifier', 'service_tier'];
const besides: Record<string, string[]> = {
  'PUT /api/bot-profiles/{identityId}': ['frameOrigins', 'messagesPerHour', 'tokensPerDay'],
  'POST /api/training-pairs/approve': ['acceptFlags'],
  'GET /api/datasets/{id}/export': ['flavour', 'runId'],
  'GET /api/export/identity/{identityId}/portable': ['includeChats', 'format'],
  'GET /api/export/manifest': ['includeArchived', 'includeChats'],
  'GET /api/export/chatsession/{sessionId}/dti': ['includeSecrets'],
  'POST /api/auth/refresh': ['useCookie'],
  'PATCH /api/ai-router/providers/{id}': ['apiKey'],
  'GET /api/ai-router/usage/timeseries': ['orgUnitId'],
  'GET /api/agent/runs': ['minCostUsd', 'mcpTask'],
  'POST /api/agent/runs': ['poolCostBudgetUsd', 'breakpoints', 'mcpTask'],
  'GET /api/agent/runs/{id}': ['mcpTask'],
  'POST /api/agent/runs/{id}/start': ['breakpoints'],
  'POST /api/agent/runs/{id}/fork': ['turn', 'role', 'edits', 'breakpoints'],
  'POST /api/agent/runs/{id}/pool': ['addCostUsd', 'poolCostBudgetUsd'],
  'GET /api/agent/runs/{runId}/events': ['follow', 'lean', 'format'],
  'GET /api/events': ['follow', 'lean'],
  'GET /api/system-logs': ['beforeId', 'afterId'],
  'GET /api/system-logs/stream': ['ticket'],
  'GET /api/identities/{identityId}/memories': ['fromUtc', 'toUtc'],
  'GET /api/identities/{identityId}/memories/search': ['provenance', 'isShared', 'fromUtc', 'toUtc'],
  'GET /api/projects/{projectId}/facts/by-key/{key}/as-of': ['recordedAtUtc'],
  'GET /api/import/{id}/review': ['limit', 'after'],
  'POST /api/import/{id}/commit': ['restore'],
  'GET /api/chat/sessions': ['folder', 'tag'],
  'POST /api/chat/sessions': ['folder', 'tags'],
  'PATCH /api/chat/sessions/{id}': ['activeMessageId', 'hydrate', 'folder', 'tags'],
  'PUT /api/tenant-policy': ['version', 'updatedByName', 'updatedAtUtc'],
  'POST /v1/chat/completions': [...openAiFields, 'store', 'functions', 'function_call'],
  'POST /v1/responses': [...openAiFields, 'include', 'stream_options', 'background'],
  'POST /v1/embeddings': ['input_type'],
};

/** Field names of an operation's query or body. */
function fieldNames(operation: AnyOperation): string[] {
  const names = (schema: unknown): string[] => {
    if (!schema) return [];
    if (isMultipart(schema)) return [...names(schema.fields), ...schema.files];
    let at = schema as z.ZodType;
    while (at instanceof z.ZodOptional || at instanceof z.ZodNullable || at instanceof z.ZodDefault)
      at = at.unwrap() as z.ZodType;
    return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
  };
  return [...names(operation.query), ...names(operation.body)].sort();
}

/** Groups of ours, which the interface leaves to each server: a new one takes its line here, by its id. */
const ourGroups = new Set([
  'AgentBreakpoints',
  'ChatUi',
  'DurableStreams',
  'EvaluationDatasets',
  'Experiments',
  'McpClient',
  'Prompts',
  'PublicBots',
  'PublicShares',
  'RepositoryCredentials',
  'Shares',
  'SoulVersions',
  'Unlearning',
]);
/**
 * Operations of ours in groups of the interface: front-end kits, files of a message, what OpenAI's own clients call
 * besides, what operators want to read, topics by an open protocol.
 */
const ourOperations: Readonly<Record<string, readonly string[]>> = {
  AgentCouncils: ['debate'],
  AgentRoutines: ['simulate', 'briefs'],
  AgentRuns: ['export', 'state', 'searchEvents'],
  Channels: ['resend'],
  ChatCompletionsCompat: ['model', 'complete', 'messages', 'countTokens', 'response', 'forget', 'cancel', 'inputItems'],
  ChatSession: ['labels', 'renameFolder', 'renameTag', 'attachment'],
  ConnectorMcp: ['tools', 'decide', 'settings', 'setSettings'],
  Connectors: ['beginSignIn', 'signInCallback', 'endSignIn', 'inboundEndpoint', 'listDeliveries', 'callEndpoint'],
  Demo: ['status'],
  Docs: ['links'],
  Email: ['attachment', 'send'],
  Export: ['chatMarkdown'],
  Help: ['votes'],
  Hydration: ['receipts', 'receipt', 'replay'],
  Import: ['undo'],
  KnowledgeGoal: ['steps'],
  Memories: ['remove', 'history', 'merge', 'duplicates'],
  Mirror: ['drift'],
  OAuthServer: ['openid', 'resource', 'mcpResource'],
  Souls: ['read', 'zip'],
  Support: ['diagnostics'],
  TrainingPairs: ['harvestRatings'],
  TrainingRuns: ['report'],
};

const isOurs = ({ group, verb }: (typeof everything)[number]) =>
  ourGroups.has(group.id) || ourOperations[group.id]?.includes(verb);
const served = everything.filter((one) => !isOurs(one));

describe('interface', () => {
  it('names as ours what there is', () => {
    const ids = new Set(everything.flatMap(({ group, id }) => [group.id, id]));
    const named = Object.entries(ourOperations).flatMap(([group, verbs]) => verbs.map((verb) => `${group}_${verb}`));
    expect([...ourGroups, ...named].filter((id) => !ids.has(id))).toEqual([]);
  });

  it.each(served)(
    '$id is an operation of the interface, under its group and permission',
    ({ group, operation, path }) => {
      const spec = byKey.get(key(operation.method, path));
      expect(spec, `${operation.method} ${path}: of the interface, or else ours, which is named above`).toBeDefined();
      expect(group.name).toBe(spec?.group);
      expect(operation.needs).toBe(spec?.permission);
    },
  );

  it.each(served)('$id takes the fields that the interface names', ({ operation, path }) => {
    const spec = byKey.get(key(operation.method, path));
    // A body that is of another service has no fields of ours.
    const named = Object.keys(spec?.request ?? {}).filter((name) => name !== '(body)');
    const wanted = [...named, ...(besides[`${operation.method} ${path}`] ?? [])];
    expect(fieldNames(operation)).toEqual(wanted.sort());
  });

  it('has every enumeration with its values in order', () => {
    const ours = Object.fromEntries(Object.entries(enums).map(([name, schema]) => [name, schema.options]));
    expect(ours).toEqual(enumerations);
  });

  it('gives each permission its group, meaning and what it implies, and each system role its permissions', () => {
    const { permissions: named, systemRoles } = load('permissions.json');
    const ours = Permission.options.map((name) => {
      const { group, ...about } = aboutPermissions[name];
      // A group without a name of the interface goes by ours.
      return [name, { group: group === 'Webhooks' ? '(unnamed)' : group, ...about, implies: impliedBy(name) }];
    });
    expect(Object.fromEntries(ours)).toEqual(named);
    expect(rolePermissions).toEqual(systemRoles);
  });

  it('has every error code with its status', () => {
    expect(errorStatus).toEqual(
      Object.fromEntries(errorCodes.map((c: { code: string; httpStatus: number }) => [c.code, c.httpStatus])),
    );
  });

  it('gives operation ids and routes once', () => {
    const ids = everything.map((o) => o.id);
    const routes = everything.map((o) => key(o.operation.method, o.path));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('uses no schema that lets anything through, except where the interface says so', () => {
    const loose = served.filter(
      ({ operation }) => operation.reply === 'envelope' && operation.data instanceof z.ZodUnknown,
    );
    expect(loose.map((o) => o.id)).toEqual([]);
  });
});
