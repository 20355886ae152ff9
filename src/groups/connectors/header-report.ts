// Seals headers of connectors that are not sealed, or are with an earlier secret, and reports what it found.
import { Fault } from '../../kernel/fault.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { By } from '../../ports/keeper.ts';
import { type ConnectorBook, isSealed } from './book.ts';
import { sealHeaders } from './drafts.ts';
import type { HeaderEncryptionReport } from './dto.ts';

interface Wish {
  dryRun?: boolean | null | undefined;
  connectorIds?: number[] | null | undefined;
}

export async function encryptHeaders(
  { connectors }: Pick<ConnectorBook, 'connectors'>,
  vault: Vault,
  by: By,
  { dryRun, connectorIds }: Wish,
): Promise<HeaderEncryptionReport> {
  const chosen = { headers: { $ne: null }, ...(connectorIds && { _id: { $in: connectorIds } }) };
  const docs = await connectors
    .of(by.tenantId)
    .find(chosen, { sort: { _id: 1 } })
    .toArray();
  const report: HeaderEncryptionReport = {
    ...{ scanned: docs.length, encryptedIds: [], alreadyProtected: 0, invalidIds: [], failed: [] },
  };
  for (const { _id, tenantId, headers } of docs) {
    if (headers === null) continue;
    const sealed = isSealed(headers);
    try {
      const json = sealed ? vault.open(tenantId, headers) : headers;
      if (sealed && !vault.isStale(headers)) {
        report.alreadyProtected++;
        continue;
      }
      const fields = sealHeaders(vault, tenantId, json);
      // Only where it is still what was read: what was set meanwhile is sealed already.
      if (!dryRun) await connectors.change(by, _id, (old) => (old.headers === headers ? fields : {}));
      report.encryptedIds.push(_id);
    } catch (error) {
      const isInvalid = error instanceof Fault && error.code === 'VALIDATION_FAILED';
      if (isInvalid) report.invalidIds.push(_id);
      else report.failed.push({ connectorId: _id, error: error instanceof Fault ? error.message : 'Not written.' });
    }
  }
  return report;
}
