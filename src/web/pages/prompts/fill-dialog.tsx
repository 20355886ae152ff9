// Asks for the variables of a prompt, and hands its filled text on.
import { useState } from 'react';
import type { PromptListDto, PromptVariableDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

export type Values = Readonly<Record<string, string>>;

export const defaultsOf = (variables: readonly PromptVariableDto[]): Values =>
  Object.fromEntries(variables.map(({ name, default: usual }) => [name, usual ?? '']));

/** The text of a prompt as the server fills it in, which counts the use. */
export const filledText = async ({ id }: Pick<PromptListDto, 'id'>, values: Values): Promise<string> =>
  (await client.prompts.use({ params: { id }, body: { values } })).text;

interface Props {
  prompt: PromptListDto;
  onText: (text: string) => void;
  onClose: () => void;
}

export function FillDialog({ prompt, onText, onClose }: Props) {
  const { variables, name } = prompt;
  const [values, setValues] = useState(defaultsOf(variables));
  const isFilled = variables.every(({ name: one, default: usual }) => usual !== null || values[one]?.trim());
  return (
    <FormDialog
      title={name}
      action={t('Use the prompt')}
      ready={isFilled}
      onSubmit={async () => onText(await filledText(prompt, values))}
      onClose={onClose}
    >
      <VariableFields variables={variables} values={values} onChange={setValues} />
    </FormDialog>
  );
}

interface FieldsProps {
  variables: readonly PromptVariableDto[];
  values: Values;
  onChange: (values: Values) => void;
}

export function VariableFields({ variables, values, onChange }: FieldsProps) {
  return variables.map(({ name, choices, default: usual }) => {
    const field = {
      label: name,
      value: values[name] ?? usual ?? '',
      onChange: (value: string) => onChange({ ...values, [name]: value }),
    };
    return choices.length > 0 ? (
      <SelectField key={name} {...field} options={choices.map((one) => [one, one] as const)} />
    ) : (
      <TextField key={name} {...field} rows={2} required={usual === null} />
    );
  });
}
