// The client's public face.

export type * from '../contract/enums.ts';
export type { Page } from '../contract/page.ts';
export type * from '../groups/agent/analytics/dto.ts';
export type * from '../groups/agent/councils/dto.ts';
export type * from '../groups/agent/dto.ts';
export type * from '../groups/agent/files/dto.ts';
export type * from '../groups/agent/routines/dto.ts';
export type * from '../groups/agent/runs/search/dto.ts';
export type * from '../groups/agent-memories/dto.ts';
export type * from '../groups/ai-router/dto.ts';
export type * from '../groups/audit-events/dto.ts';
export type * from '../groups/auth/dto.ts';
export type * from '../groups/bot-profiles/dto.ts';
export type * from '../groups/channels/dto.ts';
export type * from '../groups/chat/dto.ts';
export type * from '../groups/connectors/dto.ts';
export type * from '../groups/connectors/mcp/dto.ts';
export type * from '../groups/demo/dto.ts';
export type * from '../groups/docs/dto.ts';
export type * from '../groups/email/dto.ts';
export type * from '../groups/evaluations/dto.ts';
export type * from '../groups/export/dto.ts';
export type * from '../groups/facts/dto.ts';
export type * from '../groups/global-search/dto.ts';
export type * from '../groups/graph/dto.ts';
export type * from '../groups/help/dto.ts';
export type * from '../groups/hydration/dto.ts';
export type * from '../groups/identities/dto.ts';
export type * from '../groups/identities/hints/dto.ts';
export type * from '../groups/identities/profiles/dto.ts';
export type * from '../groups/identities/souls/dto.ts';
export type * from '../groups/identities/swarm/dto.ts';
export type * from '../groups/import/dto.ts';
export type * from '../groups/infrastructure/dto.ts';
export type * from '../groups/interests/dto.ts';
export type * from '../groups/knowledge-goals/dto.ts';
export type * from '../groups/log-subscriptions/dto.ts';
export type * from '../groups/maintenance/dto.ts';
export type * from '../groups/memories/dto.ts';
export type * from '../groups/messages/dto.ts';
export type * from '../groups/mirror/dto.ts';
export type * from '../groups/oauth/dto.ts';
export type * from '../groups/oauth-server/dto.ts';
export type * from '../groups/personal-memories/dto.ts';
export type * from '../groups/projects/dto.ts';
export type * from '../groups/prompts/dto.ts';
export type * from '../groups/realtime/dto.ts';
export type * from '../groups/relationships/dto.ts';
export type * from '../groups/roles/dto.ts';
export type * from '../groups/session/dto.ts';
export type * from '../groups/shares/dto.ts';
export type * from '../groups/site-builds/dto.ts';
export type * from '../groups/standing-rules/dto.ts';
export type * from '../groups/support/dto.ts';
export type * from '../groups/system/dto.ts';
export type * from '../groups/system-logs/dto.ts';
export type * from '../groups/tasks/dto.ts';
export type * from '../groups/tenant-policy/dto.ts';
export type * from '../groups/unlearning/dto.ts';
export type * from '../groups/users/dto.ts';
export type * from '../groups/users/export/dto.ts';
export type * from '../groups/webhooks/dto.ts';
export type * from '../groups/workspaces/dto.ts';
export type { Api, Call, CallOptions, CallResult, RouteTable } from './api.ts';
export { ApiError } from './api-error.ts';
export { type Client, type ClientOptions, type ClientTools, createClient } from './client.ts';
export type {
  ConnectionPhase,
  ConnectionState,
  EventPayloads,
  KnownEvent,
  RawEvent,
} from './stream/events.ts';
export { known } from './stream/events.ts';
export type { WebSocketConstructor } from './stream/link.ts';
export type { Listener, Live, LiveOptions } from './stream/live.ts';
export { readSse, type SseMessage } from './stream/sse.ts';
export type { EventStream, StreamOptions } from './stream/stream.ts';
export type { HttpRequest } from './transport.ts';
