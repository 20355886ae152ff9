// What a trainer elsewhere proves itself by: a signature of one round of one run, good for nothing else.
import type { Signer } from '../../../kernel/signer.ts';
import type { TrainingRunDoc } from './record.ts';

const purpose = 'training reports';
type Of = Pick<TrainingRunDoc, 'tenantId' | 'guid' | 'round'>;
const textOf = ({ tenantId, guid, round }: Of) => `${tenantId}/${guid}/${round}`;

export const tokenOf = (signer: Signer, run: Of): string => signer.sign(purpose, textOf(run));
export const isToken = (signer: Signer, run: Of, token: string): boolean => signer.verify(purpose, textOf(run), token);
