// Names of connectors' tools for models: they say whose they are, so that no server can take another tool's name.
import type { ConnectorDoc } from '../record.ts';

/** What providers of models take at most. */
const mostChars = 64;

/** `github__create_issue`: of a connector `GitHub` the tool `create_issue`. */
export function toolName({ _id, name }: Pick<ConnectorDoc, '_id' | 'name'>, tool: string): string {
  const whose = clean(name).slice(0, 24).replace(/_+$/, '') || `connector_${_id}`;
  return `${whose.toLowerCase()}__${clean(tool)}`.slice(0, mostChars);
}

const clean = (text: string) => text.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_+|_+$/g, '');
