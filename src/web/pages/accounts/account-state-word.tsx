import type { Settings } from '../../../config/config.ts';
import { nextSendAt } from '../../../calendar/send-window.ts';
import type { AccountState } from '../../../ledger/account/read-holds.ts';
import { accountWord } from '../../../explain/account-word.ts';
import { Moment } from '../../parts/words.tsx';

const LOOKS = { sends: 'good', paused: 'warn', stopped: 'bad', 'in doubt': 'bad', refused: 'bad' } as const;

/** Whether an account sends, in a word; one that may, but not at this hour, says from when on. */
export function AccountStateWord({
  state,
  settings,
  now,
}: {
  state: AccountState;
  settings: Pick<Settings, 'accounts'>;
  now: Date;
}) {
  const word = accountWord(state);
  const account = settings.accounts.get(state.account);
  if (!account) return <span class="state quiet">not in the configuration</span>;
  const at = nextSendAt(account, now);
  if (word !== 'sends' || at === now) return <span class={`state ${LOOKS[word]}`}>{word}</span>;
  return (
    <>
      <span class="state quiet">window closed</span>{' '}
      {at ? (
        <>
          until <Moment at={at} timeZone={account.timeZone} />
        </>
      ) : (
        'for good'
      )}
    </>
  );
}
