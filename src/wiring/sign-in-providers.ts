// Reads the operator's file of sign-in providers.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { SignInProvider } from '../auth/external/provider.ts';
import { SignInSettings } from '../auth/external/settings.ts';
import { ConfigError } from '../environment.ts';
import type { Clock } from '../kernel/clock.ts';

/** The providers of a file; none without one. @throws ConfigError that names all errors of the file */
export async function openSignInProviders(file: string | null, clock: Clock): Promise<SignInProvider[]> {
  if (file === null) return [];
  const wrong = (what: string) => new ConfigError(`RIVULET_SIGN_IN_PROVIDERS: ${file}: ${what}`);
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8')) ?? {};
  } catch (error) {
    throw wrong((error as Error).message);
  }
  const parsed = SignInSettings.safeParse(content);
  if (!parsed.success)
    throw wrong(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  const { createSignInProvider } = await import('../auth/external/openid.ts');
  return parsed.data.providers.map((one) => createSignInProvider(one, clock));
}
