// Buttons: with words, or an icon whose words are its tooltip.
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import { Tooltip } from './tooltip.tsx';

interface ButtonProps {
  children: ReactNode;
  onClick?: () => void;
  kind?: 'normal' | 'primary' | 'danger' | 'plain';
  size?: 'normal' | 'small';
  icon?: IconName;
  type?: 'button' | 'submit';
  disabled?: boolean;
  /** Makes it a toggle. */
  pressed?: boolean;
  /** Has the focus when its dialog opens. */
  autoFocus?: boolean;
  /** What it does, where the words alone do not say. */
  tip?: string;
}

export function Button({
  children,
  onClick,
  kind = 'normal',
  size = 'normal',
  icon,
  type = 'button',
  disabled,
  pressed,
  autoFocus,
  tip,
}: ButtonProps) {
  const button = (
    <button
      type={type}
      className="btn"
      data-kind={kind}
      data-size={size}
      disabled={disabled}
      aria-pressed={pressed}
      data-autofocus={autoFocus}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
  return tip ? <Tooltip text={tip}>{button}</Tooltip> : button;
}

interface IconButtonProps {
  icon: IconName;
  label: string;
  onClick?: () => void;
  disabled?: boolean;
  /** Makes it a toggle. */
  pressed?: boolean;
  className?: string;
}

export function IconButton({ icon, label, onClick, disabled, pressed, className = '' }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        className={`icon-btn ${className}`}
        aria-label={label}
        aria-pressed={pressed}
        onClick={onClick}
        disabled={disabled}
      >
        <Icon name={icon} />
      </button>
    </Tooltip>
  );
}

export function LinkButton({
  href,
  children,
  kind = 'normal',
  size = 'normal',
  icon,
}: {
  href: string;
  children: ReactNode;
  kind?: 'normal' | 'primary';
  size?: 'normal' | 'small';
  icon?: IconName;
}) {
  return (
    <a className="btn" data-kind={kind} data-size={size} href={href}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
