// Erases what a person leaves behind in the library of prompts.
import type { Db } from '../../ports/db.ts';
import { promptRecord, promptVersionRecord } from './record.ts';

const nobody = 'Closed account';

/** Private prompts go with all their texts; shared ones stay, without the person's name. */
export async function erasePromptsOf(db: Db, { tenantId, userId }: { tenantId: number; userId: number }) {
  const prompts = db.collection(promptRecord.spec);
  const versions = db.collection(promptVersionRecord.spec);
  for (const doc of await prompts.find({ tenantId, createdByUserId: userId }).toArray()) {
    const { _id, isShared, createdByName: writtenByName } = doc;
    const texts = { tenantId, promptId: _id };
    if (isShared) {
      const $set = { writtenByName: nobody };
      await versions.updateMany({ ...texts, writtenByName }, { $set });
      await prompts.updateOne({ _id, writtenByName }, { $set });
      await prompts.updateOne({ _id }, { $set: { createdByName: nobody } });
    } else {
      await versions.deleteMany(texts);
      await prompts.deleteOne({ _id });
    }
  }
}
