// Which connectors are agents of A2A: the interface has no type for them.
import type { ConnectorType } from '../../../contract/enums.ts';

export const isAgent = ({ type, subType }: { type: ConnectorType; subType?: string | null | undefined }): boolean =>
  type === 'Custom' && subType?.toLowerCase() === 'a2a';
