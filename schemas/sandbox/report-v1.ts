import { type ReportName, REPORT_FIELDS, type ReportField } from '../reports.ts';

/**
 * A report as version 1 of ReportLink names it. Version 2 renamed them all. Names, order and types are those of clients
 * made from the service's own WSDL; later ones use V2 too.
 */
export type FirstReport = {
  /** In the WSDL, for programs; one of them stands for two reports. */
  readonly name: string;
  /** Of the request; the answer's elements are named after it. */
  readonly element: string;
  /** Behind the namespace. */
  readonly action: string;
  /** After agentCode and password. */
  readonly wire: readonly FirstReportField[];
  /** Whether the result is the base64 file itself, without STATUS and ERRORS. */
  readonly isBare: boolean;
  /** The report of today that it is. */
  readonly report: ReportName;
};

/** `from` and `to` are what later became `fromDate` and `toDate`. */
export type FirstReportField = ReportField | 'from' | 'to';

export const FIRST_REPORT_FIELDS = {
  ...REPORT_FIELDS,
  from: REPORT_FIELDS.fromDate,
  to: REPORT_FIELDS.toDate,
} as const;

const DAY = ['date', 'customerIPAddress'] as const;
const RANGE = ['fromDate', 'toDate', 'customerIPAddress'] as const;
const BALANCE = ['fromDate', 'toDate', 'currency', 'summaryOnly', 'customerIPAddress'] as const;

/** The order is that of the service: of two reports of one name PHP takes the first. */
export const FIRST_REPORTS: readonly FirstReport[] = [
  bare('GetCCJournalCSV', ['date'], 'getCreditCardApprovedSpecificDateCSV'),
  full('GetCreditCardJournalCSV', DAY, 'getCreditCardApprovedSpecificDateCSV'),
  full('GetCreditCardJournal', DAY, 'getCreditCardApprovedSpecificDateXML'),
  full('GetCreditCardRejectCSV', DAY, 'getCreditCardRejectSpecificDateCSV'),
  full('GetCreditCardReject', DAY, 'getCreditCardRejectSpecificDateXML'),
  bare('GetACHJournalCSV', ['date'], 'getACHEFTApprovedSpecificDateCSV'),
  full('GetACHEFTJournalCSV', DAY, 'getACHEFTApprovedSpecificDateCSV'),
  full('GetACHEFTJournal', DAY, 'getACHEFTApprovedSpecificDateXML'),
  full('GetACHEFTRejectCSV', DAY, 'getACHEFTRejectSpecificDateCSV'),
  full('GetACHEFTReject', DAY, 'getACHEFTRejectSpecificDateXML'),
  full('GetACHEFTReturnCSV', DAY, 'getACHEFTReturnSpecificDateCSV'),
  full('GetACHEFTReturn', DAY, 'getACHEFTReturnSpecificDateXML'),
  bare('GetCCPaymentBoxJournalCSV', ['from', 'to'], 'getCreditCardApprovedDateRangeCSV'),
  full('GetCreditCardPaymentBoxJournalCSV', RANGE, 'getCreditCardApprovedDateRangeCSV'),
  full('GetCreditCardPaymentBoxRejectCSV', RANGE, 'getCreditCardRejectDateRangeCSV'),
  bare('GetACHEFTPaymentBoxJournalCSV', ['from', 'to'], 'getACHEFTApprovedDateRangeCSV'),
  full('GetACHEFTPaymentBoxJournalCSV', RANGE, 'getACHEFTApprovedDateRangeCSV'),
  full('GetACHEFTPaymentBoxRejectCSV', RANGE, 'getACHEFTRejectDateRangeCSV'),
  full('GetCreditCardBankReconciliationReportCSV', BALANCE, 'getCreditCardBankReconciliationReportCSV'),
  full('GetACHEFTBankReconciliationReportCSV', BALANCE, 'getACHEFTBankReconciliationReportCSV'),
  // Added later. Assumption: its action is its name, like those of version 2.
  {
    ...full('GetACHEFTPaymentBoxJournalCSVV2', RANGE, 'getACHEFTApprovedDateRangeCSV'),
    element: 'GetACHEFTPaymentBoxJournalCSVV2',
    action: 'GetACHEFTPaymentBoxJournalCSVV2',
  },
];

function full(name: string, wire: FirstReport['wire'], report: ReportName): FirstReport {
  return { name, element: `${name}V1`, action: `${name}V1`, wire, isBare: false, report };
}

/** Reports whose name had a space before its version, which XML cannot write. */
function bare(name: string, wire: FirstReport['wire'], report: ReportName): FirstReport {
  return { name, element: `${name}_x0020_V1`, action: `${name} V1`, wire, isBare: true, report };
}

/** Returns the first report that an element or an action names. */
export function firstReportOf(name: string): FirstReport | undefined {
  return FIRST_REPORTS.find(({ element, action }) => element === name || action === name);
}
