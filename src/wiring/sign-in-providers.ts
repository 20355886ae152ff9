// Reads the operator's file of sign-in providers.
import type { SignInProvider } from '../auth/external/provider.ts';
import { SignInSettings } from '../auth/external/settings.ts';
import { ConfigError } from '../environment.ts';
import type { Clock } from '../kernel/clock.ts';
import { readYamlFile } from '../kernel/yaml-file.ts';

/** The providers of a file; none without one. @throws ConfigError that names all errors of the file */
export async function openSignInProviders(file: string | null, clock: Clock): Promise<SignInProvider[]> {
  if (file === null) return [];
  const { providers } = load(file);
  const { createSignInProvider } = await import('../auth/external/openid.ts');
  return providers.map((one) => createSignInProvider(one, clock));
}

function load(file: string) {
  try {
    return readYamlFile(file, SignInSettings);
  } catch (error) {
    throw new ConfigError(`RIVULET_SIGN_IN_PROVIDERS: ${file}: ${(error as Error).message}`);
  }
}
