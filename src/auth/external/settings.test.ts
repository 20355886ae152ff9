import { describe, expect, it } from 'vitest';
import { SignInSettings } from './settings.ts';

const credentials = { clientId: 'rivulet', clientSecret: 'of a test' };
const parse = (...providers: object[]) => SignInSettings.safeParse({ providers });
const faults = (...providers: object[]) =>
  parse(...providers).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

describe('settings of sign-in providers', () => {
  it('know what is usual for each kind', () => {
    const kinds = ['Google', 'GitHub', 'GitLab'].map((kind) => ({ kind, ...credentials }));
    const company = { issuer: 'https://login.example.com/realms/a/', key: 'company', ...credentials };
    const read = parse(...kinds, company).data?.providers;
    expect(read?.map(({ key, name, issuer }) => [key, name, issuer])).toEqual([
      ['google', 'Google', 'https://accounts.google.com'],
      ['github', 'GitHub', 'https://github.com'],
      ['gitlab', 'GitLab', 'https://gitlab.com'],
      ['company', 'login.example.com', 'https://login.example.com/realms/a/'],
    ]);
    expect(read?.[3]).toMatchObject({ kind: 'Oidc', allowSignIn: true, allowLink: true, trustsAddresses: false });
    expect(read?.[3]?.join).toBeUndefined();
  });

  it('name what is wrong', () => {
    const google = { kind: 'Google', ...credentials };
    expect(faults(google, google)).toEqual(['providers.1.key: google is there already']);
    expect(faults({ kind: 'Microsoft', ...credentials })).toEqual(['providers.0.issuer: is needed for Microsoft']);
    expect(faults({ ...google, join: { role: 'Owner' } })).toEqual([
      expect.stringMatching(/^providers\.0\.join\.role: /),
    ]);
    expect(faults({ ...google, join: { domains: ['@example.com'] } })).toEqual([
      'providers.0.join.domains.0: must be a domain, e.g. example.com',
    ]);
    expect(faults({ ...google, kind: 'Local' })).toEqual([expect.stringMatching(/^providers\.0\.kind: /)]);
    expect(faults({ ...google, issuer: 'ftp://example.com' })).toEqual([
      expect.stringMatching(/^providers\.0\.issuer: /),
    ]);
    expect(faults({ ...google, secret: 'x' })).toEqual([expect.stringMatching(/secret/)]);
  });
});
