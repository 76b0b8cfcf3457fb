import type { FastifyInstance } from 'fastify';
import { REPROCESS_ACTIONS, REPROCESS_RESULTS, REPROCESS_STATES } from '../../../schemas/lifecycle.ts';
import { type Advice, ADVICE } from '../../../schemas/rejections.ts';
import { readPicked } from '../../actions/reprocess/reprocess-actions.ts';
import { listRuns, readItems, readReprocess } from '../../ledger/reprocess/judge-items.ts';
import { selectAll, selectPicked } from '../../ledger/reprocess/select-items.ts';
import { actorOf } from '../access/viewer.ts';
import { viewerOf, type WebContext } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import { askedOf, CENTS, each, listOf, maybe, MOMENT, objectOf, TEXT, WHOLE } from './shapes.ts';

type Wanted = { account?: string; advice?: Advice; items?: string[] };

/** Serves selections: freezes what may go again, and shows how far a run is. Its actions are beside those of files. */
export function reprocessApi(server: FastifyInstance, { app: { ledger } }: WebContext): void {
  const config = { may: 'reprocess' } as const;
  server.post<{ Body: Wanted }>('/selections', { config, schema: SELECT }, async ({ viewer, body }) => {
    const { items, ...filter } = body;
    const because = { actor: actorOf(viewerOf({ viewer })), reason: 'selected over the API' };
    const no = items
      ? await selectPicked(ledger, readPicked(items), because)
      : await selectAll(ledger, filter, because);
    return { selection: no };
  });

  server.get('/selections', { schema: LIST }, async () => ({ selections: await listRuns(ledger, 50) }));

  server.get<{ Params: { no: string } }>('/selections/:no', { schema: SHOW }, async ({ params }) => {
    const selection = await readReprocess(ledger.pool, Number(params.no));
    return { selection, items: await readItems(ledger, selection.run_no) };
  });
}

const TAG = 'Selections';

const SELECT = apiSchema({
  tag: TAG,
  summary: 'Freeze what may go again',
  description: 'Nothing is done. Plan and do it with the action reprocess; what turns up later is not part of it.',
  body: askedOf({
    account: { ...TEXT, maxLength: 64, description: 'Only of this account.' },
    advice: { ...TEXT, enum: ADVICE, description: 'Only declined with this advice.' },
    items: {
      ...listOf({ ...TEXT, maxLength: 100 }),
      minItems: 1,
      maxItems: 10_000,
      description:
        'Exactly these instead: `FILE/LINE`, `batch:FILE/NO` for a refused batch, `lost:NO` for a lost file.',
    },
  }),
  answer: objectOf({ selection: WHOLE }),
});

const SELECTION = {
  run_no: WHOLE,
  state: { ...TEXT, enum: Object.keys(REPROCESS_STATES) },
  ...each(MOMENT, 'state_at', 'made_at'),
  made_by: TEXT,
  ...each(maybe(TEXT), 'name', 'reason', 'begun_by', 'stopped_by'),
  begun_at: maybe(MOMENT),
};

const LIST = apiSchema({
  tag: TAG,
  summary: 'The last selections and runs',
  answer: objectOf({ selections: listOf(objectOf({ ...SELECTION, ...each(WHOLE, 'rows', 'done', 'left') })) }),
});

const ITEM = objectOf({
  itemNo: WHOLE,
  action: { ...TEXT, enum: REPROCESS_ACTIONS },
  ...each(TEXT, 'fileId', 'name', 'account'),
  batchNo: maybe(WHOLE),
  lines: { ...listOf(WHOLE), type: ['array', 'null'] },
  rows: WHOLE,
  cents: CENTS,
  result: { type: ['string', 'null'], enum: [...REPROCESS_RESULTS, null], description: 'Null while it waits.' },
  ...each(maybe(TEXT), 'explanation', 'newName', 'newFileId'),
  endedAt: maybe(MOMENT),
});

const SHOW = apiSchema({
  tag: TAG,
  summary: 'How far a run is, and what became of each item',
  params: { no: { ...TEXT, pattern: '^[1-9]\\d{0,14}$' } },
  answer: objectOf({ selection: objectOf(SELECTION), items: listOf(ITEM) }),
});
