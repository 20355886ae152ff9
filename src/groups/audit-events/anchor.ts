// Anchors of chains whose oldest entries were deleted by their age: signed by the server, so that nobody else moves one.
import type { Signer } from '../../kernel/signer.ts';
import type { Anchor } from './record.ts';

const purpose = 'audit anchor';

const textOf = (tenantId: number, { seq, hash }: Pick<Anchor, 'seq' | 'hash'>) => JSON.stringify([tenantId, seq, hash]);

/** The anchor of a tenant's chain after its entry of this number and hash. */
export function anchorAt(signer: Signer, tenantId: number, { seq, hash }: Pick<Anchor, 'seq' | 'hash'>): Anchor {
  return { seq, hash, signature: signer.sign(purpose, textOf(tenantId, { seq, hash })) };
}

export const isSigned = (signer: Signer, tenantId: number, anchor: Anchor): boolean =>
  signer.verify(purpose, textOf(tenantId, anchor), anchor.signature);
