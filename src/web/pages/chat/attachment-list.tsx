// What came with a message: images are looked at here, files are saved, addresses are followed.
import { useEffect, useState } from 'react';
import type { ChatAttachmentDto, ChatAttachmentInput } from '../../../client/index.ts';
import { formatBytes, t, words } from '../../base/i18n.ts';
import { saveAs } from '../../base/save.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/states.tsx';
import { sayError } from '../../ui/toast.tsx';
import { Thumbnail } from './thumbnail.tsx';

type Attachment = ChatAttachmentDto | ChatAttachmentInput;

interface Place {
  messageId: number;
  index: number;
}

const nameOf = ({ name, url, kind }: Attachment) => name || url || words(kind);

const download = (params: Place, name: string) =>
  void client.chat
    .attachment({ params })
    .then((response) => saveAs(response, name))
    .catch(sayError);

interface ListProps {
  attachments: readonly Attachment[];
  messageId: number | null;
}

export function AttachmentList({ attachments, messageId }: ListProps) {
  return (
    <ul className="row wrap attachments" aria-label={t('Attachments')}>
      {attachments.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attachments have a place and nothing else
        <li key={index} title={one.mimeType ?? words(one.kind)}>
          {messageId !== null && 'sizeBytes' in one ? (
            <Stored attachment={one} place={{ messageId, index }} />
          ) : (
            <span className="tag">
              <Label of={one} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Label({ of }: { of: Attachment }) {
  return (
    <>
      <Icon name={of.kind === 'Image' ? 'image' : 'clip'} />
      <span className="truncate">{nameOf(of)}</span>
      {'sizeBytes' in of && of.sizeBytes !== null && <span className="faint num">{formatBytes(of.sizeBytes)}</span>}
    </>
  );
}

function Stored({ attachment, place }: { attachment: ChatAttachmentDto; place: Place }) {
  const [open, setOpen] = useState(false);
  const name = nameOf(attachment);
  if (attachment.sizeBytes === null)
    return (
      <a className="tag" href={attachment.url ?? undefined} target="_blank" rel="noreferrer">
        <Label of={attachment} />
      </a>
    );
  const show = () => (attachment.kind === 'Image' ? setOpen(true) : download(place, name));
  return (
    <>
      {attachment.kind === 'Image' ? (
        <Thumbnail {...place} name={name} onOpen={show} />
      ) : (
        <button type="button" className="tag" onClick={show}>
          <Label of={attachment} />
        </button>
      )}
      {open && <Preview place={place} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

function Preview({ place, name, onClose }: { place: Place; name: string; onClose: () => void }) {
  const image = useResource(`attachment ${place.messageId} ${place.index}`, (signal) =>
    client.chat.attachment({ params: place, signal }).then((response) => response.blob()),
  );
  return (
    <Dialog
      title={name}
      wide
      onClose={onClose}
      foot={
        <Button icon="down" onClick={() => download(place, name)}>
          {t('Download')}
        </Button>
      }
    >
      <Loaded resource={image} rows={3}>
        {(blob) => <Picture blob={blob} name={name} />}
      </Loaded>
    </Dialog>
  );
}

/** Images are fetched with the reader's key, which an address alone would lack. */
function Picture({ blob, name }: { blob: Blob; name: string }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url && <img className="preview" src={url} alt={name} />;
}
