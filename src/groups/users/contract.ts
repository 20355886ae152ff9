// Operations on users.
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, nothing, string } from '../../contract/types.ts';

export const users = group(
  'Users',
  { base: '/api/users', doc: 'People and agents that have an account.' },
  {
    changePassword: op.post('/me/password', {
      doc: 'Set my password; the current one is asked for where there is one.',
      needs: 'self',
      body: fields({
        currentPassword: string.max(1000),
        newPassword: string.min(1).max(1000),
        endOtherSessions: boolean.nullish(),
      }),
      data: nothing,
      idempotent: false,
      signsIn: true,
    }),
  },
);
