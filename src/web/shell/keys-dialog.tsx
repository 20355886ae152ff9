// The keys that work here and now.

import { t } from '../base/i18n.ts';
import { activeShortcuts } from '../base/keys.ts';
import { Dialog } from '../ui/dialog.tsx';

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const seen = new Map(activeShortcuts().map((shortcut) => [shortcut.keys, shortcut.label]));
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
      <table className="table">
        <tbody>
          {[...seen].map(([keys, label]) => (
            <tr key={keys} data-keys={keys}>
              <td>{label}</td>
              <td className="num">
                <span className="row" style={{ justifyContent: 'flex-end' }}>
                  {keys
                    .replace('mod', navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl')
                    .split(/[ +]/)
                    .map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
