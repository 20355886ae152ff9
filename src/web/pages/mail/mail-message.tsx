// One mail: who wrote it to whom, its words as a page or as text, and its attachments. Opening it marks it as read.
import { useEffect, useState } from 'react';
import type { EmailMessageDto } from '../../../client/index.ts';
import { formatBytes, formatDate, t } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { saveAs } from '../../base/save.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { MailHtml } from './mail-html.tsx';

interface Props {
  connectorId: number;
  folder: string;
  uid: string;
  onRead: () => void;
  onReply: (mail: EmailMessageDto) => void;
}

export function MailMessage({ connectorId, folder, uid, onRead, onReply }: Props) {
  const mail = useResource(`mail ${connectorId} ${folder} ${uid}`, () =>
    client.email.message({ params: { connectorId, uid }, query: { folder, markRead: true } }),
  );
  const isThere = mail.data !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read once, when it is there.
  useEffect(() => {
    if (isThere) onRead();
  }, [isThere]);
  return (
    <Loaded resource={mail}>
      {(one) => (
        <section className="card" aria-label={one.subject ?? t('(no subject)')}>
          <div className="card-body stack">
            <div className="page-head">
              <h2>{one.subject ?? t('(no subject)')}</h2>
              <div className="row wrap">
                <Button size="small" onClick={() => patchQuery({ uid: null })}>
                  {t('Close')}
                </Button>
                {may('ConnectorsWrite') && (
                  <Button size="small" icon="edit" onClick={() => onReply(one)}>
                    {t('Reply')}
                  </Button>
                )}
              </div>
            </div>
            <FactGrid facts={factsOf(one)} />
            <Words mail={one} />
            {one.attachments.length > 0 && <Attachments mail={one} connectorId={connectorId} />}
          </div>
        </section>
      )}
    </Loaded>
  );
}

const factsOf = ({ fromName, fromAddress, to, cc, receivedAtUtc }: EmailMessageDto): (readonly [string, string])[] => [
  [t('From'), fromName ? `${fromName} <${fromAddress}>` : fromAddress],
  [t('To'), to.join(', ') || t('nobody')],
  ...(cc.length > 0 ? [[t('Cc'), cc.join(', ')] as const] : []),
  [t('Received'), formatDate(receivedAtUtc)],
];

function Words({ mail: { htmlBody, textBody } }: { mail: EmailMessageDto }) {
  const [asText, setAsText] = useState(false);
  const isPage = htmlBody !== null && !asText;
  return (
    <>
      {htmlBody !== null && (
        <div>
          <Button size="small" pressed={asText} onClick={() => setAsText(!asText)}>
            {t('As plain text')}
          </Button>
        </div>
      )}
      {isPage ? (
        <MailHtml html={htmlBody} />
      ) : (
        <div className="mail-text">{textBody ?? t('This mail has no text.')}</div>
      )}
    </>
  );
}

function Attachments({ mail, connectorId }: { mail: EmailMessageDto; connectorId: number }) {
  const { busy, act } = useAction();
  const { uid, folder, attachments } = mail;
  const save = async (part: string, name: string) =>
    saveAs(await client.email.attachment({ params: { connectorId, uid }, query: { folder, part } }), name);
  return (
    <section className="stack" aria-label={t('Attachments')}>
      <h3>{t('Attachments')}</h3>
      <ul className="mail-files">
        {attachments.map(({ partId, fileName, contentType, sizeBytes }) => (
          <li key={partId} className="row wrap">
            <span className="grow mail-file">
              {fileName ?? t('(no name)')}{' '}
              <span className="small muted">
                {contentType}, {formatBytes(sizeBytes)}
              </span>
            </span>
            <Button
              size="small"
              icon="down"
              disabled={busy}
              onClick={() => void act(() => save(partId, fileName ?? `attachment-${partId}`))}
            >
              {t('Save {name}', { name: fileName ?? partId })}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
