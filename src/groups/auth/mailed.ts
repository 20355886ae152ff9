// What people do with mailed tokens: confirm an address, set a new password. What is asked for by strangers is answered
// the same whether anybody is meant, and at once.
import type { Accounts } from '../../auth/accounts.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { UserDoc } from '../../auth/documents.ts';
import { liveUser } from '../../auth/live.ts';
import type { MailTokens } from '../../auth/mail-tokens.ts';
import { namesakes } from '../../auth/sign-in.ts';
import type { Handlers } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { auth } from './contract.ts';

export interface MailedDeps {
  collections: AuthCollections;
  accounts: Accounts;
  mailTokens: MailTokens;
  accessChanged: () => void;
}

export function mailedHandlers({
  collections,
  accounts,
  mailTokens,
  accessChanged,
}: MailedDeps): Pick<Handlers<typeof auth>, 'confirmEmail' | 'resendEmail' | 'forgotPassword' | 'resetPassword'> {
  const tell = (login: string, kind: 'confirm' | 'reset', isMeant: (user: UserDoc) => boolean) =>
    accounts.later(async () => {
      for (const user of await namesakes(collections, login))
        if (user.isActive && user.type === 'Human' && isMeant(user)) await accounts.mailToken(user, kind);
    });

  return {
    confirmEmail: async ({ body }) => {
      const token = await mailTokens.find(body.token, 'confirm');
      await mailTokens.use(token);
      const confirmed = await collections.users.updateOne(
        { _id: token.userId, email: token.email },
        { $set: { emailConfirmed: true } },
      );
      if (confirmed.matchedCount === 0)
        throw new Fault('INVALID_TOKEN', 'The account has another address now.', {
          hint: 'Open the link in the mail to the new address.',
        });
      accessChanged();
      return null;
    },
    resendEmail: ({ body }) => {
      const address = body.email.toLowerCase();
      tell(address, 'confirm', ({ email, emailConfirmed }) => !emailConfirmed && email?.toLowerCase() === address);
      return null;
    },
    forgotPassword: ({ body }) => {
      tell(body.login, 'reset', () => true);
      return null;
    },
    resetPassword: async ({ body }) => {
      const token = await mailTokens.find(body.token, 'reset');
      const user = liveUser(await collections.users.findOne({ _id: token.userId }));
      await accounts.requireGood(user.tenantId, body.newPassword, user.username);
      await mailTokens.use(token);
      await accounts.setPassword(user, body.newPassword, null);
      // Who could read the mail holds the address.
      const held = { _id: user._id, email: token.email };
      await collections.users.updateOne(held, { $set: { emailConfirmed: true } });
      await accounts.endSessions(user._id);
      return null;
    },
  };
}
