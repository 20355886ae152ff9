// A sign-in provider: the page that it asks people at, and whom it says that somebody is.
import type { ProviderSettings } from './settings.ts';

/** What one sign-in is asked with; all but `redirectUri` are random. */
export interface Asked {
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
  /** Where the provider sends the browser back to. */
  redirectUri: string;
}

/** A person as a provider knows them. */
export interface Profile {
  /** Who says so; together with `subject` it is the person for ever. */
  issuer: string;
  subject: string;
  /** In small letters. */
  email: string | null;
  /** Whether the provider vouches that the address is the person's. */
  isEmailProven: boolean;
  username: string | null;
  displayName: string | null;
}

export interface SignInProvider {
  readonly settings: ProviderSettings;
  /** The page that asks the person. @throws Fault CONNECTOR_ERROR where the provider cannot be reached */
  authorizationUrl(asked: Asked): Promise<URL>;
  /**
   * Exchanges what the browser brought back, `code` and all.
   *
   * @throws Fault CONNECTOR_ERROR where the provider cannot be reached, or its answer does not hold
   */
  profileOf(asked: Asked, back: URLSearchParams): Promise<Profile>;
}
