import { BATCH_MOVES, FILE_MOVES, RUN_MOVES } from '../../../../schemas/lifecycle.ts';
import { TextField } from '../../parts/form.tsx';

/** The filter as in the address; empty where it does not matter. */
export type Asked = Readonly<Record<'who' | 'file' | 'move' | 'from' | 'to' | 'before', string>>;

/** Shows the filter as a GET form, so that the address of a result can be kept and shared. */
export function FilterForm({ asked, zone }: { asked: Asked; zone: string }) {
  return (
    <form class="inline card no-print" action="/audit">
      <TextField
        name="who"
        label="Who"
        value={asked.who}
        hint="A name or its beginning, such as ada; operator: for all persons, worker: for paydrop itself."
      />
      <TextField name="file" label="File" value={asked.file} hint="Its id or its name." />
      <Move value={asked.move} />
      <TextField name="from" type="date" label="From" value={asked.from} hint={`Days in ${zone}.`} />
      <TextField name="to" type="date" label="To" value={asked.to} />
      <button type="submit">Look</button>
      <a href="/audit">Show everything</a>
    </form>
  );
}

/** Offers the known moves as suggestions only, because the trail has others, such as those of users and accounts. */
function Move({ value }: { value: string }) {
  const names = [...new Set([...FILE_MOVES, ...BATCH_MOVES, ...RUN_MOVES].map(({ name }) => name as string))].sort();
  return (
    <div class="field">
      <label for="f-move">Move</label>
      <p class="hint" id="h-move">
        Such as approve, send or pause-account.
      </p>
      <input id="f-move" name="move" type="text" value={value} list="moves" aria-describedby="h-move" />
      <datalist id="moves">
        {[...names, ...OTHER_MOVES].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

const OTHER_MOVES = ['log-in', 'log-in-failed', 'pause-account', 'propose', 'resume-account'];
