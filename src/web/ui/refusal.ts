// What the server refuses of a body, in the words of the form that was sent: each field by its label.
import { ApiError } from '../../client/index.ts';

/** How the server begins what it says of a body, before its fields. */
const ofBody = 'The body is not valid: ';

/** The label that a form has for a field of the interface; null for none. */
export type LabelOf = (name: string) => string | null;

/** A refusal by the labels of its fields. Null for what says nothing of fields, or names one without a label. */
export function refusalBy(labelOf: LabelOf, message: string): string | null {
  if (!message.startsWith(ofBody)) return null;
  const parts = message
    .slice(ofBody.length)
    .split('; ')
    .map((part) => {
      const [name = ''] = part.split(/[.:]/, 1);
      const label = labelOf(name);
      return label === null ? null : label + part.slice(part.indexOf(': '));
    });
  return parts.every((part) => part !== null) ? parts.join('; ') : null;
}

/** The error with its fields named as the form does, where the server's names and the interface's page help nobody. */
export function inWordsOf(labelOf: LabelOf, error: unknown): unknown {
  const said = error instanceof ApiError ? refusalBy(labelOf, error.message) : null;
  return said === null ? error : new ApiError(said, { ...(error as ApiError), hint: null, cause: error });
}
