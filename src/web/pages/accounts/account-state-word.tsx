import type { Settings } from '../../../config/config.ts';
import { nextSendAt } from '../../../calendar/send-window.ts';
import type { AccountState } from '../../../ledger/account/read-holds.ts';
import { accountWord } from '../../../explain/account-word.ts';
import { Moment } from '../../parts/words.tsx';

const LOOKS = { sends: 'good', paused: 'warn', stopped: 'bad', 'in doubt': 'bad', refused: 'bad' } as const;

/** Shows in a word whether an account sends. When only its window is closed, shows until when. */
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
