// A prompt's text with what it asks for, as it is written: values can be tried.
import { useState } from 'react';
import { piecesOf, variablesIn } from '../../../prompts/variables.ts';
import { t } from '../../base/i18n.ts';
import { defaultsOf, type Values, VariableFields } from './fill-dialog.tsx';

export function Preview({ text }: { text: string }) {
  const [values, setValues] = useState<Values>({});
  const variables = variablesIn(text);
  const usual = defaultsOf(variables);
  const choices = new Map(variables.map((one) => [one.name, one.choices]));
  /** What was tried before the choices were others counts no more. */
  const inPlaceOf = (name: string) => {
    const tried = values[name];
    const offered = choices.get(name) ?? [];
    return tried !== undefined && (offered.length === 0 || offered.includes(tried)) ? tried : (usual[name] ?? '');
  };
  const filled = Object.fromEntries(variables.map(({ name }) => [name, inPlaceOf(name)]));
  return (
    <section className="stack" aria-label={t('Preview')}>
      {variables.length > 0 ? (
        <fieldset className="choices stack tight">
          <legend>{t('It asks for')}</legend>
          <VariableFields
            variables={variables.map((one) => ({ ...one, default: one.default ?? '' }))}
            values={filled}
            onChange={setValues}
          />
        </fieldset>
      ) : (
        <p className="muted small">{t('It asks for nothing: {{name}} in the text is a variable.')}</p>
      )}
      {text && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
        <section className="prompt-preview" aria-label={t('Text as it will be')} tabIndex={0}>
          {piecesOf(text).map((piece, index) =>
            'text' in piece ? (
              piece.text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have a place and nothing else
              <mark key={index}>{filled[piece.variable] || piece.variable}</mark>
            ),
          )}
        </section>
      )}
    </section>
  );
}
