// Opens a call where its target is: scripted ones are played, all others go to their provider.
import { createSdkCalls } from '../providers/open-call.ts';
import type { OpenCall } from '../providers/target.ts';

/** Plays scripted targets, calls all others. */
export function openByKind(scripted: OpenCall): OpenCall {
  const called = createSdkCalls();
  return (target, request, signal) =>
    (target.provider.kind === 'scripted' ? scripted : called)(target, request, signal);
}
