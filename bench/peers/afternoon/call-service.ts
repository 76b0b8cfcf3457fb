import { parse } from 'csv-parse/sync';
import { createClientAsync } from 'soap';

/** A row of a result file: invoice, amount and message; the other cells are dropped. */
export type ResultRow = { invoice: string; amount: string; message: string };

export type Service = {
  /** @returns the id that the service assigned to the batch */
  submit(body: string): Promise<string>;
  /** Asks until there is a result. */
  fetchResult(id: string): Promise<ResultRow[]>;
  /** Asks once. @returns undefined when there is no result yet */
  askResult(id: string): Promise<ResultRow[] | undefined>;
};

type Answer = { IATSRESPONSE: { BATCHPROCESSRESULT: Record<string, string> } };

const LOGIN = { agentCode: 'TEST88', password: 'TEST88', customerIPAddress: '' };

/** Connects with node-soap, as its documentation shows. */
export async function connect(url: string): Promise<Service> {
  const client = await createClientAsync(`${url}/NetGate/ProcessLinkv2.asmx?WSDL`, { forceSoap12Headers: true });
  const call = async (operation: string, fields: object) => {
    const [answer] = await client[`${operation}Async`]({ ...LOGIN, ...fields });
    const result = Object.values<Answer>(answer)[0]?.IATSRESPONSE.BATCHPROCESSRESULT;
    if (!result) throw new Error(`${operation} had no result`);
    return result;
  };
  const askResult = async (batchId: string) => {
    const { BATCHPROCESSRESULTFILE } = await call('GetBatchProcessResultFile', { batchId });
    if (!BATCHPROCESSRESULTFILE) return undefined;
    return readResult(Buffer.from(BATCHPROCESSRESULTFILE, 'base64').toString());
  };
  return {
    askResult,
    submit: async (batchFile) => {
      const { BATCHID } = await call('ProcessCreditCardBatch', { batchFile });
      if (!BATCHID) throw new Error('the batch was not taken');
      return BATCHID;
    },
    fetchResult: async (batchId) => {
      for (;;) {
        const result = await askResult(batchId);
        if (result) return result;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
  };
}

const RESULT_COLUMNS = [
  undefined,
  'invoice',
  ...Array(6).fill(undefined),
  'amount',
  ...Array(3).fill(undefined),
  'message',
];

function readResult(csv: string): ResultRow[] {
  return parse(csv, { columns: RESULT_COLUMNS, relax_column_count: true, skip_empty_lines: true, trim: true });
}
