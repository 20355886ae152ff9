// What the pipeline is given by the composition root.
import type { Resource } from '../auth/oauth/resources.ts';
import type { Caller } from '../contract/caller.ts';
import type { AnyOperation, AnyService } from '../contract/operation.ts';
import type { StreamReply } from '../contract/replies.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Audit, SubjectOf } from '../ports/audit.ts';
import type { IdempotencyStore } from '../ports/idempotency.ts';
import type { ShownAgent } from './a2a/shown-agent.ts';
import type { Exchange, HeaderList } from './adapter.ts';
import type { RateLimiter } from './rate-limit.ts';

/** Who a ticket admits, and to which topics (null: all that the caller may read). */
export interface Admitted {
  caller: Caller;
  topics: readonly string[] | null;
}

export interface StreamRequest {
  caller: Caller;
  reply: StreamReply;
  allowed: readonly string[] | null;
  headers: HeaderList;
}

export interface RequestSpan {
  within<T>(work: () => T): T;
  end(status: number, error?: unknown): void;
}

export interface McpOptions {
  version: string;
  /** Where the server is reached from outside. */
  publicUrl(): string;
  /** Address of the metadata by which clients find out how to sign in; null where there is none. */
  resourceMetadata?: (exchange: Exchange) => string | null;
}

export interface A2aOptions {
  /** The agent of this name; null where none is. */
  byName(guid: string): Promise<ShownAgent | null>;
  /** Where the client of a request reaches the server, without a trailing slash. */
  baseOf(exchange: Exchange): string;
}

export interface HttpAppOptions {
  services: readonly AnyService[];
  clock: Clock;
  log: Logger;
  /** Caller behind an `Authorization` header. @throws Fault */
  authenticate(authorization: string, ip: string, resource: Resource): Caller | Promise<Caller>;
  /** Caller behind a single-use ticket, on operations that take one. @throws Fault */
  redeemTicket(ticket: string): Promise<Admitted>;
  /** Unread messages of the caller's identity, for the envelope. */
  unreadMessages(caller: Caller): number | Promise<number>;
  idempotency: IdempotencyStore;
  /** Hears of writes and of denied attempts before their callers are answered. */
  audit?: Audit;
  /** What operations are about that note no writes of their own. */
  auditSubjectOf?: SubjectOf;
  openStream(exchange: Exchange, request: StreamRequest): Promise<void>;
  /** Answers what is not an operation: pages, documents. True when it has taken the request. */
  pages?: (exchange: Exchange) => boolean | Promise<true>;
  /** Where and as what version the server is an MCP server; it is none unless given. */
  mcp?: McpOptions;
  /** The agents that it shows to A2A clients; it shows none unless given. */
  a2a?: A2aOptions;
  /** Operations that answer while the server shuts down. */
  alwaysOpen?: ReadonlySet<string>;
  limits?: {
    perCaller?: RateLimiter;
    failedSignIns?: RateLimiter;
    /** What the tenant of a caller allows each of its keys and sessions; names begin with the tenant's id. */
    ofTenant?: RateLimiter;
  };
  /** Throws where the server takes no such request for now. */
  closed?: (request: { id: string; operation: AnyOperation; caller: Caller | null }) => void;
  corsOrigins?: readonly string[];
  /** Checks every answer against its schema: a wrong one is a 500. For tests. */
  checkResponses?: boolean;
  observe?: (request: { route: string; method: string; status: number; seconds: number }) => void;
  trace?: (request: {
    route: string;
    method: string;
    requestId: string;
    header(name: string): string | undefined;
  }) => RequestSpan;
}
