// How an archive is refused: what is wrong with it, and what to do.
import { Fault } from '../kernel/fault.ts';

const again = 'Ask the provider for a new export, and upload the file as it was downloaded.';

/** @example throw broken('The archive is encrypted.', 'Unpack it, pack it without a password, and upload that.') */
export const broken = (message: string, hint: string = again, cause?: unknown): Fault =>
  new Fault('VALIDATION_FAILED', message, { hint, cause });
