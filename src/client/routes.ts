// Method and path of each operation. Generated from the contracts by scripts/generate-client.ts: do not edit.
import type { RouteTable } from './api.ts';

export const routes: RouteTable = {
  auth: {
    login: 'POST /api/auth/login',
    refresh: 'POST /api/auth/refresh',
    logout: 'POST /api/auth/logout',
    me: 'GET /api/auth/me',
  },
  agentRuns: {
    list: 'GET /api/agent/runs',
    create: 'POST /api/agent/runs',
    get: 'GET /api/agent/runs/{id}',
    patch: 'PATCH /api/agent/runs/{id}',
    remove: 'DELETE /api/agent/runs/{id}',
    start: 'POST /api/agent/runs/{id}/start',
    restart: 'POST /api/agent/runs/{id}/restart',
    cancel: 'POST /api/agent/runs/{id}/cancel',
    pause: 'POST /api/agent/runs/{id}/pause',
    resume: 'POST /api/agent/runs/{id}/resume',
    checkpoint: 'POST /api/agent/runs/{id}/checkpoint',
    checkpoints: 'GET /api/agent/runs/{id}/checkpoints',
    fork: 'POST /api/agent/runs/{id}/fork',
    wait: 'GET /api/agent/runs/{id}/wait',
    children: 'GET /api/agent/runs/{id}/children',
    events: 'GET /api/agent/runs/{runId}/events',
  },
  agentRunFiles: {
    list: 'GET /api/agent/runs/{runId}/files',
    read: 'GET /api/agent/runs/{runId}/files/content',
    download: 'GET /api/agent/runs/{runId}/files/download!',
    deliverable: 'GET /api/agent/runs/{runId}/review/deliverable',
    diff: 'GET /api/agent/runs/{runId}/review/diff',
    output: 'GET /api/agent/runs/{runId}/sandbox/stream!',
  },
  agentNotes: {
    list: 'GET /api/agent/runs/{runId}/notes',
    create: 'POST /api/agent/runs/{runId}/notes',
  },
  agentTasks: {
    list: 'GET /api/agent/runs/{runId}/tasks',
    create: 'POST /api/agent/runs/{runId}/tasks',
    patch: 'PATCH /api/agent/tasks/{id}',
  },
  agentMessages: {
    list: 'GET /api/agent/runs/{runId}/messages',
    create: 'POST /api/agent/runs/{runId}/messages',
  },
  agentFeedback: {
    list: 'GET /api/agent/runs/{runId}/feedback',
    create: 'POST /api/agent/runs/{runId}/feedback',
  },
  agentRoles: {
    list: 'GET /api/agent/role-definitions',
    create: 'POST /api/agent/role-definitions',
    get: 'GET /api/agent/role-definitions/{id}',
    patch: 'PATCH /api/agent/role-definitions/{id}',
    remove: 'DELETE /api/agent/role-definitions/{id}',
    byName: 'GET /api/agent/role-definitions/by-name/{name}',
  },
  roleSoul: {
    get: 'GET /api/agent-roles/{id}/soul.md!',
  },
  agentToolProfiles: {
    list: 'GET /api/agent/tool-profiles',
    create: 'POST /api/agent/tool-profiles',
    replace: 'PUT /api/agent/tool-profiles/{id}',
    byRole: 'GET /api/agent/tool-profiles/{role}',
  },
  agentTools: {
    list: 'GET /api/agent/tools',
  },
  agentAnalytics: {
    totals: 'GET /api/agent/analytics',
    matrix: 'GET /api/agent/analytics/matrix',
    timeseries: 'GET /api/agent/analytics/timeseries',
  },
  events: {
    stream: 'GET /api/events!',
  },
  identities: {
    list: 'GET /api/identities',
    create: 'POST /api/identities',
    get: 'GET /api/identities/{id}',
    patch: 'PATCH /api/identities/{id}',
    replace: 'PUT /api/identities/{id}',
    remove: 'DELETE /api/identities/{id}',
  },
  identityKeys: {
    list: 'GET /api/identities/{identityId}/api-keys',
    create: 'POST /api/identities/{identityId}/api-keys',
    rotate: 'POST /api/identities/{identityId}/api-keys/{keyId}/rotate',
    remove: 'DELETE /api/identities/{identityId}/api-keys/{keyId}',
  },
  system: {
    info: 'GET /api/system/info',
    health: 'GET /api/system/health',
    ready: 'GET /api/system/ready',
    metrics: 'GET /api/system/metrics!',
  },
  webSocket: {
    connect: 'GET /api/ws!',
    ticket: 'POST /api/ws/tickets',
    connections: 'GET /api/ws/connections',
  },
};
