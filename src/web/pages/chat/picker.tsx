// One searchable list of who answers and with what: models with price and context, identities, memories, tools.
import { useId, useState } from 'react';
import { formatCost, formatShort, t } from '../../base/i18n.ts';
import { isScripted } from '../../state/run-figures.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { useOptionKeys } from '../../ui/option-keys.ts';
import { OptionSearch } from '../../ui/option-search.tsx';

/** One thing that can be chosen. */
export interface Offer {
  key: string;
  group: string;
  icon: IconName;
  label: string;
  detail: string;
  chosen: boolean;
  /** Why it cannot be chosen; null where it can. */
  blocked: string | null;
  choose: () => void;
}

/** What the model takes in and costs, as one line. */
export function modelDetail(model: {
  contextWindow: number;
  inputPricePerMTok: number;
  outputPricePerMTok: number;
  priceKnown: boolean;
  providerName: string;
  modelId: string;
}): string {
  const { contextWindow, inputPricePerMTok: input, outputPricePerMTok: output, priceKnown, providerName } = model;
  const isFree = isScripted(model.modelId) || (priceKnown && input === 0 && output === 0);
  const price = isFree
    ? t('free')
    : priceKnown
      ? t('{in} in, {out} out per million tokens', { in: formatCost(input), out: formatCost(output) })
      : t('no price known');
  const context = contextWindow > 0 ? t('{n} context', { n: formatShort(contextWindow) }) : '';
  return [providerName, context, price].filter(Boolean).join(' · ');
}

/** Offers that have every word of the search in their label, detail or group. */
export function searched(offers: readonly Offer[], q: string): Offer[] {
  const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
  return offers.filter(({ label, detail, group, key }) => {
    const text = `${label} ${detail} ${group} ${key}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

interface Props {
  offers: readonly Offer[];
  isLoading: boolean;
  onClose: () => void;
}

export function Picker({ offers, isLoading, onClose }: Props) {
  const [q, setQ] = useState('');
  const id = useId();
  const found = searched(offers, q);
  const choose = (offer: Offer) => offer.blocked === null && offer.choose();
  const keys = useOptionKeys(id, found, choose);
  return (
    <Dialog
      title={t('Who answers')}
      onClose={onClose}
      foot={
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <OptionSearch
        {...keys}
        id={id}
        label={t('Search models, identities and tools')}
        q={q}
        count={found.length}
        onSearch={setQ}
      />
      <Offers
        id={id}
        offers={found}
        active={keys.active}
        isLoading={isLoading}
        onActive={keys.setActive}
        onChoose={choose}
      />
    </Dialog>
  );
}

interface OffersProps {
  id: string;
  offers: readonly Offer[];
  active: number;
  isLoading: boolean;
  onActive: (index: number) => void;
  onChoose: (offer: Offer) => void;
}

function Offers({ id, offers, active, isLoading, onActive, onChoose }: OffersProps) {
  const groups = [...new Set(offers.map(({ group }) => group))];
  return (
    <>
      <div
        className="offers"
        id={id}
        role="listbox"
        aria-multiselectable="true"
        aria-label={t('Found')}
        aria-busy={isLoading}
        tabIndex={0}
      >
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no child of a listbox
          <div key={group} role="group" aria-label={group}>
            <div className="choices-head" aria-hidden="true">
              {group}
            </div>
            {offers.map((offer, index) =>
              offer.group !== group ? null : (
                // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the input
                <div
                  key={offer.key}
                  id={`${id}-${index}`}
                  className="offer"
                  role="option"
                  tabIndex={-1}
                  aria-selected={offer.chosen}
                  aria-disabled={offer.blocked !== null}
                  data-active={index === active}
                  onPointerMove={() => onActive(index)}
                  onClick={() => onChoose(offer)}
                >
                  <Icon name={offer.chosen ? 'check' : offer.icon} />
                  <span className="offer-label">{offer.label}</span>
                  <span className="small muted">{offer.blocked ?? offer.detail}</span>
                </div>
              ),
            )}
          </div>
        ))}
      </div>
      {offers.length === 0 && !isLoading && <p className="muted small">{t('Nothing matches.')}</p>}
    </>
  );
}
