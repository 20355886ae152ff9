// What an operator says of sign-in providers: whom people may sign in with, and who joins that has no account yet.
import { z } from 'zod';
import { AuthProvider, type UserRole } from '../../contract/enums.ts';

/** Issuers of kinds that have one for everybody. */
const usualIssuers: Partial<Record<AuthProvider, string>> = {
  Google: 'https://accounts.google.com',
  GitHub: 'https://github.com',
  GitLab: 'https://gitlab.com',
};

/** Roles that people may join with: an owner or an agent is made by hand. */
const joinableRoles = ['Admin', 'Operator', 'Member', 'Viewer'] as const satisfies readonly UserRole[];

const text = z.string().trim().min(1).max(500);
const domain = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a domain, e.g. example.com');

const Provider = z
  .strictObject({
    /** Name in addresses; must stay, since it is part of the address that the provider sends browsers back to. */
    key: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be small letters, digits and -')
      .optional(),
    kind: AuthProvider.exclude(['Local']).default('Oidc'),
    name: text.optional(),
    issuer: z.url({ protocol: /^https?$/ }).optional(),
    clientId: text,
    clientSecret: text.optional(),
    scopes: z.array(text).min(1).max(50).optional(),
    allowSignIn: z.boolean().default(true),
    allowLink: z.boolean().default(true),
    /** Whether addresses count as proven which the provider does not call verified. */
    trustsAddresses: z.boolean().default(false),
    /** People without an account join the first tenant so; absent: the tenant's registration mode decides. */
    join: z
      .strictObject({ role: z.enum(joinableRoles).default('Member'), domains: z.array(domain).max(200).default([]) })
      .optional(),
  })
  .transform((one, context) => {
    const { kind } = one;
    const issuer = one.issuer ?? usualIssuers[kind];
    if (issuer === undefined) {
      context.addIssue({ code: 'custom', path: ['issuer'], message: `is needed for ${kind}` });
      return z.NEVER;
    }
    const name = one.name ?? (kind === 'Oidc' ? new URL(issuer).host : kind);
    return { ...one, key: one.key ?? kind.toLowerCase(), name, issuer };
  });

/** Contents of the file of providers. */
export const SignInSettings = z
  .strictObject({ providers: z.array(Provider).max(50).default([]) })
  .superRefine(({ providers }, context) => {
    for (const [index, { key }] of providers.entries())
      if (providers.findIndex((one) => one.key === key) !== index)
        context.addIssue({ code: 'custom', path: ['providers', index, 'key'], message: `${key} is there already` });
  });

export type ProviderSettings = z.output<typeof Provider>;
