// Which server a command talks to, and as whom: options, the environment, what `rivulet login` has kept, and where the
// server's own secret is at hand, a sign-in link made with it.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ApiError, type AuthPrincipalDto, type Client, createClient } from '../client/index.ts';
import type { CliSettings } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { CommandError, exitCodes } from './failures.ts';
import { answers } from './own-server.ts';

export interface ServerOptions {
  url?: string;
  key?: string;
}

/** Keys by address, and the address that is used where none is named. Written for its owner alone. */
interface Kept {
  url?: string;
  keys: Record<string, { key: string; expiresAtUtc?: string }>;
}

export interface Keyring {
  read(): Kept;
  keep(url: string, key: string, expiresAtUtc?: string): void;
  forget(url: string): boolean;
}

export function createKeyring(file: string): Keyring {
  const read = (): Kept => {
    if (!existsSync(file)) return { keys: {} };
    try {
      const { url, keys } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Kept>;
      return { ...(url ? { url } : {}), keys: keys ?? {} };
    } catch (cause) {
      throw new CommandError(`${file} cannot be read: ${(cause as Error).message}. Remove it, and log in again.`);
    }
  };
  const write = (kept: Kept) => {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, JSON.stringify(kept, null, 2), { mode: 0o600 });
      renameSync(draft, file);
    } catch (cause) {
      throw new CommandError(`${file} cannot be written: ${(cause as Error).message}. Give --key, or set RIVULET_KEY.`);
    }
  };
  return {
    read,
    keep(url, key, expiresAtUtc) {
      const { keys } = read();
      write({ url, keys: { ...keys, [url]: { key, ...(expiresAtUtc ? { expiresAtUtc } : {}) } } });
    },
    forget(url) {
      const { keys, url: used } = read();
      const { [url]: gone, ...rest } = keys;
      write({ ...(used && used !== url ? { url: used } : {}), keys: rest });
      return gone !== undefined;
    },
  };
}

/** Where a server listens that nobody has told otherwise. */
const defaultUrl = 'http://127.0.0.1:7717';
const trimmed = (url: string) => url.replace(/\/+$/, '');

/** Address of the server that options, environment and keyring name. */
export function addressOf(options: ServerOptions, settings: CliSettings, keyring: Keyring): string {
  const named = options.url ?? settings.url;
  if (named === undefined) return keyring.read().url ?? settings.localUrl ?? defaultUrl;
  if (!/^https?:\/\/[^/\s]+/.test(named))
    throw new CommandError(`"${named}" is no address: it must begin with http:// or https://.`, exitCodes.usage);
  return trimmed(named);
}

/** @throws CommandError when no key is known for the server; nothing is sent before the first call */
export async function connect(
  options: ServerOptions,
  settings: CliSettings,
  keyring: Keyring,
): Promise<{ client: Client; url: string; key: string }> {
  const url = addressOf(options, settings, keyring);
  const known = options.key ?? settings.key ?? keptKey(keyring, url) ?? (await signInBySecret(url, settings, keyring));
  if (known === null && !(await answers(url)))
    throw new CommandError(`No Rivulet server answers at ${url}. "rivulet start" starts one.`, exitCodes.unreachable);
  if (known === null)
    throw new CommandError(
      `No key is known for ${url}. Give one: rivulet login --url ${url} --key rvt_…, or set RIVULET_KEY.`,
      exitCodes.refused,
    );
  return { client: createClient({ baseUrl: url, token: known }), url, key: known };
}

/** A kept token that ends within this many ms is not used any more. */
const spareMs = 60_000;

function keptKey(keyring: Keyring, url: string): string | null {
  const kept = keyring.read().keys[url];
  if (!kept) return null;
  return kept.expiresAtUtc && Date.parse(kept.expiresAtUtc) - spareMs < systemClock.now() ? null : kept.key;
}

/** Signs in on this machine without a prompt: a person who can read the server's secret is its operator. */
async function signInBySecret(url: string, settings: CliSettings, keyring: Keyring): Promise<string | null> {
  const { hostname } = new URL(url);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) return null;
  const secret = settings.secret ?? secretIn(settings.dataDir);
  if (secret === null) return null;
  const { createSignInLinks } = await import('../auth/sign-in-links.ts');
  const refreshToken = createSignInLinks({ secret, clock: systemClock }).make();
  const client = createClient({ baseUrl: url });
  const { accessToken, expiresInSeconds } = await client.auth.refresh({ body: { refreshToken } }).catch((error) => {
    throw error instanceof ApiError && error.status === 401 ? notItsSecret(url, settings) : error;
  });
  try {
    keyring.keep(url, accessToken, new Date(systemClock.now() + expiresInSeconds * 1000).toISOString());
  } catch {
    // The next command signs in again.
  }
  return accessToken;
}

/** The secret that a server keeps in its folder, unless RIVULET_SECRET is set; null where there is none. */
function secretIn(dataDir: string): string | null {
  const file = join(dataDir, 'secret');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}

const notItsSecret = (url: string, { secret, dataDir }: CliSettings) =>
  new CommandError(
    secret === undefined
      ? `The secret in ${dataDir} is not that of the server at ${url}. Name its folder in RIVULET_DATA, set RIVULET_SECRET as the server has it, or give a key with --key.`
      : `RIVULET_SECRET is not the secret of the server at ${url}. Set it as the server has it, or give a key with --key.`,
    exitCodes.refused,
  );

/** Whom a principal acts as, for people. */
export const nameOf = ({ user, identity, kind }: AuthPrincipalDto): string =>
  user?.displayName ?? user?.username ?? identity?.name ?? kind;
