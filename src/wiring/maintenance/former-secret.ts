// What a former secret has signed or is named by, beside what it has sealed: anchors of audit logs, and the check of tenants.
import type { AuthCollections } from '../../auth/collections.ts';
import { secretCheckOf } from '../../auth/tenants.ts';
import type { Config } from '../../config.ts';
import { anchorAt, isSigned } from '../../groups/audit-events/anchor.ts';
import { auditHeads } from '../../groups/audit-events/record.ts';
import type { Signer } from '../../kernel/signer.ts';
import type { Db } from '../../ports/db.ts';

/** Signs the anchors of all chains anew; answers how many needed it. One that nobody has signed stays as it is. */
export async function signAnchorsAnew(
  { db, signer }: { db: Db; signer: Signer },
  dryRun: boolean,
): Promise<{ signed: number; renewed: number }> {
  const heads = db.collection(auditHeads);
  const count = { signed: 0, renewed: 0 };
  for (const { _id, anchor } of await heads.find({ 'anchor.seq': { $gt: 0 } } as never).toArray()) {
    if (!anchor || !isSigned(signer, _id, anchor)) continue;
    count.signed++;
    const { signature } = anchorAt(signer, _id, anchor);
    if (signature === anchor.signature) continue;
    count.renewed++;
    const same = { _id, 'anchor.seq': anchor.seq } as never;
    if (!dryRun) await heads.updateOne(same, { $set: { 'anchor.signature': signature } } as never);
  }
  return count;
}

/** From now on the server starts with the present secret alone. */
export async function forgetFormerSecrets(
  { tenants }: Pick<AuthCollections, 'tenants'>,
  { secret, previousSecrets }: Pick<Config, 'secret' | 'previousSecrets'>,
): Promise<void> {
  const former = { secretCheck: { $in: previousSecrets.map(secretCheckOf) } };
  await tenants.updateMany(former, { $set: { secretCheck: secretCheckOf(secret) } });
}
