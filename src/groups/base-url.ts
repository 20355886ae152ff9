// The address by which clients reach this server, also behind a proxy.
import type { RequestInfo } from '../contract/operation.ts';

const saneHost = /^[\w.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/;

/** Base URL without a trailing slash; `fallback` where the request names no usable host. */
export function baseUrlOf(request: Pick<RequestInfo, 'header'>, fallback: string): string {
  const host = first(request.header('x-forwarded-host')) ?? request.header('host');
  if (!host || !saneHost.test(host)) return fallback;
  const scheme = first(request.header('x-forwarded-proto')) === 'https' ? 'https' : 'http';
  return `${scheme}://${host}`;
}

/** What is known of the server's addresses, without a trailing slash. */
export interface OwnAddress {
  /** Where people reach it, as the operator says; null where nobody does. */
  publicUrl(): string | null;
  /** Where it listens. */
  localUrl(): string;
}

/** Where people reach it, as far as is known without a request. */
export const addressOf = ({ publicUrl, localUrl }: OwnAddress): string => publicUrl() ?? localUrl();

/** What the operator says goes first: a proxy that passes neither name nor scheme on makes a request say something else. */
export const reachedAt = (request: Pick<RequestInfo, 'header'>, { publicUrl, localUrl }: OwnAddress): string =>
  publicUrl() ?? baseUrlOf(request, localUrl());

/** The same address for WebSockets. */
export const socketAt = (base: string): string => base.replace(/^http/, 'ws');

const first = (list: string | undefined) => list?.split(',')[0]?.trim() || undefined;
