// A question to the help, and its answer with the topics that it comes from.
import { useState } from 'react';
import type { HelpAnswerDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { useAction } from '../../ui/use-action.ts';
import { TopicLink } from './topic-link.tsx';

export function Ask({ route }: { route: string }) {
  const [question, setQuestion] = useState('');
  const [answer, setAnswer] = useState<HelpAnswerDto | null>(null);
  const { busy, act } = useAction();
  const ask = () =>
    act(async () => setAnswer(await client.help.ask({ body: { question, ...(route ? { route } : {}) } })));
  return (
    <section className="help-section" aria-label={t('Ask a question')}>
      <h2>{t('Ask a question')}</h2>
      <form
        className="row wrap end"
        onSubmit={(event) => {
          event.preventDefault();
          if (question.trim() && !busy) void ask();
        }}
      >
        <TextField label={t('Question')} value={question} onChange={setQuestion} />
        <Button type="submit" disabled={busy || !question.trim()}>
          {t('Ask')}
        </Button>
      </form>
      <div aria-live="polite">
        {answer && (
          <div className="help-answer">
            <p className="muted small">
              {answer.generated
                ? t('Written by {model} from these topics:', { model: answer.modelId ?? t('a model') })
                : t('From the topics, without a model:')}
            </p>
            <Markdown text={answer.answer} />
            <ol>
              {answer.citations.map(({ slug, title }) => (
                <li key={slug}>
                  <TopicLink slug={slug}>{title}</TopicLink>
                </li>
              ))}
            </ol>
          </div>
        )}
      </div>
    </section>
  );
}
