// The words of personal memories, as choices of forms.
import type { MemoryVisibility, PersonalMemoryCategory } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';

export const categories: readonly PersonalMemoryCategory[] = [
  'Profile',
  'Preference',
  'Relationship',
  'Health',
  'Work',
  'Schedule',
  'Goal',
  'Instruction',
  'Other',
];
export const visibilities: readonly MemoryVisibility[] = ['Private', 'SelectedIdentities', 'AllMyIdentities'];

export const visibilityText = (visibility: MemoryVisibility): string =>
  t(
    { Private: 'Me alone', SelectedIdentities: 'Some of my identities', AllMyIdentities: 'All my identities' }[
      visibility
    ],
  );
