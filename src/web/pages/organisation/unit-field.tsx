// Chooses an organisation unit by its whole name; nothing is there where the reader knows of no unit.
import { t } from '../../base/i18n.ts';
import { useUnitOptions } from '../../state/units.ts';
import { SelectField } from '../../ui/field.tsx';

interface Props {
  label?: string;
  /** Its name in the interface. */
  name?: string;
  /** The id; empty for none. */
  value: string;
  onChange: (value: string) => void;
  /** What no unit means. */
  none?: string;
  hint?: string;
}

export function UnitField({ label = t('Organisation unit'), name = 'orgUnitId', none, ...rest }: Props) {
  const options = useUnitOptions(none);
  return options && <SelectField label={label} name={name} options={options} {...rest} />;
}
