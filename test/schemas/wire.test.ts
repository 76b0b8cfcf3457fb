import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClientAsync } from 'soap';
import { type FieldName, FIELDS } from '../../schemas/fields.ts';
import { type OperationName, OPERATIONS } from '../../schemas/operations.ts';
import { REPORT_FIELDS, reportPurpose, type ReportRow, REPORTS } from '../../schemas/reports.ts';
import { isReport, isSecret, WIRE_OPERATIONS, wireKind, wireRow } from '../../schemas/wire.ts';
import { wireName, wsdlText } from '../../schemas/wsdl.ts';

describe('WIRE_OPERATIONS', () => {
  it('are the operations of the spec and the reports, none of them twice', () => {
    expect(WIRE_OPERATIONS).toEqual([...Object.keys(OPERATIONS), ...Object.keys(REPORTS)]);
    expect(new Set(WIRE_OPERATIONS).size).toBe(37);
  });
});

describe('wireRow', () => {
  it('puts the address of the payer first in an operation of the spec', () => {
    expect(wireRow('getBatchProcessResultFile')).toEqual({
      service: 'ProcessLink',
      servers: ['NA', 'UK'],
      effect: 'read',
      purpose: 'Get the results of a batch',
      elements: ['customerIPAddress', 'batchId'],
    });
  });

  it('puts it behind the date in a report', () => {
    expect(wireRow('getACHEFTReturnSpecificDateXML')).toEqual({
      service: 'ReportLink',
      servers: ['NA'],
      effect: 'read',
      purpose: 'Returned bank payments of a day, as XML',
      elements: ['date', 'customerIPAddress'],
    });
  });

  it.each(WIRE_OPERATIONS.filter(isReport))('%s only reads, so it may be repeated', (report) => {
    expect(wireRow(report).effect).toBe('read');
  });
});

describe('isReport', () => {
  it('tells the two tables apart', () => {
    expect(WIRE_OPERATIONS.filter(isReport)).toEqual(Object.keys(REPORTS));
  });
});

describe('wireKind', () => {
  it.each([
    ['date', 'dateTime'],
    ['summaryOnly', 'boolean'],
    ['startIndex', 'digits'],
    ['batchFile', 'base64'],
    ['customerIPAddress', 'ipv4'],
  ] as const)('%s is %s', (field, kind) => {
    expect(wireKind(field)).toBe(kind);
  });
});

describe('isSecret', () => {
  it('says of the fields of the spec what their table says, and of no element of a report', () => {
    const names = Object.keys(FIELDS) as FieldName[];
    expect(names.filter(isSecret)).toEqual(names.filter((name) => 'secret' in FIELDS[name]));
    expect((['date', 'currency', 'endIndex'] as const).some(isSecret)).toBe(false);
  });
});

const ADDRESS = 'https://pay.example/NetGate/ProcessLinkv2.asmx';

/** The form of the service's own WSDL, written independently of the builder. */
const RESULT_FILE_WSDL = `<?xml version="1.0" encoding="utf-8"?>
<wsdl:definitions xmlns:s="http://www.w3.org/2001/XMLSchema" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:tns="https://www.iatspayments.com/NetGate/" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" targetNamespace="https://www.iatspayments.com/NetGate/">
<wsdl:types>
<s:schema elementFormDefault="qualified" targetNamespace="https://www.iatspayments.com/NetGate/">
<s:element name="GetBatchProcessResultFile"><s:complexType><s:sequence>
<s:element minOccurs="0" maxOccurs="1" name="agentCode" type="s:string"/>
<s:element minOccurs="0" maxOccurs="1" name="password" type="s:string"/>
<s:element minOccurs="0" maxOccurs="1" name="customerIPAddress" type="s:string"/>
<s:element minOccurs="0" maxOccurs="1" name="batchId" type="s:string"/>
</s:sequence></s:complexType></s:element>
<s:element name="GetBatchProcessResultFileResponse"><s:complexType><s:sequence>
<s:element minOccurs="0" maxOccurs="1" name="GetBatchProcessResultFileResult"><s:complexType mixed="true"><s:sequence><s:any/></s:sequence></s:complexType></s:element>
</s:sequence></s:complexType></s:element>
</s:schema>
</wsdl:types>
<wsdl:message name="GetBatchProcessResultFileSoapIn"><wsdl:part name="parameters" element="tns:GetBatchProcessResultFile"/></wsdl:message>
<wsdl:message name="GetBatchProcessResultFileSoapOut"><wsdl:part name="parameters" element="tns:GetBatchProcessResultFileResponse"/></wsdl:message>
<wsdl:portType name="ProcessLinkSoap">
<wsdl:operation name="GetBatchProcessResultFile"><wsdl:input message="tns:GetBatchProcessResultFileSoapIn"/><wsdl:output message="tns:GetBatchProcessResultFileSoapOut"/></wsdl:operation>
</wsdl:portType>
<wsdl:binding name="ProcessLinkSoap" type="tns:ProcessLinkSoap">
<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<wsdl:operation name="GetBatchProcessResultFile"><soap:operation soapAction="https://www.iatspayments.com/NetGate/GetBatchProcessResultFile" style="document"/><wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output></wsdl:operation>
</wsdl:binding>
<wsdl:binding name="ProcessLinkSoap12" type="tns:ProcessLinkSoap">
<soap12:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<wsdl:operation name="GetBatchProcessResultFile"><soap12:operation soapAction="https://www.iatspayments.com/NetGate/GetBatchProcessResultFile" style="document"/><wsdl:input><soap12:body use="literal"/></wsdl:input><wsdl:output><soap12:body use="literal"/></wsdl:output></wsdl:operation>
</wsdl:binding>
<wsdl:service name="ProcessLink">
<wsdl:port name="ProcessLinkSoap" binding="tns:ProcessLinkSoap"><soap:address location="https://pay.example/NetGate/ProcessLinkv2.asmx"/></wsdl:port>
<wsdl:port name="ProcessLinkSoap12" binding="tns:ProcessLinkSoap12"><soap12:address location="https://pay.example/NetGate/ProcessLinkv2.asmx"/></wsdl:port>
</wsdl:service>
</wsdl:definitions>
`;

describe('wsdlText', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wsdl-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('describes an operation in the form of the service', () => {
    const operations: OperationName[] = ['getBatchProcessResultFile'];
    expect(wsdlText({ service: 'ProcessLink', address: ADDRESS, operations })).toBe(RESULT_FILE_WSDL);
  });

  it.each(['ProcessLink', 'CustomerLink', 'ReportLink'] as const)(
    'describes every operation of %s for node-soap',
    async (service) => {
      const path = join(folder, `${service}.wsdl`);
      await writeFile(path, wsdlText({ service, address: ADDRESS }));
      const client = await createClientAsync(path);
      const ports = client.describe()[service];
      const names = WIRE_OPERATIONS.filter((name) => wireRow(name).service === service);
      expect(Object.keys(ports)).toEqual([`${service}Soap`, `${service}Soap12`]);
      for (const port of Object.values<Record<string, { input: object }>>(ports)) {
        expect(Object.keys(port)).toEqual(names.map(wireName));
        for (const name of names) {
          const elements = ['agentCode', 'password', ...wireRow(name).elements];
          expect(Object.keys(port[wireName(name)]?.input ?? {})).toEqual(elements);
        }
      }
    },
  );

  it.each([
    ['recurring', '<s:element minOccurs="1" maxOccurs="1" name="recurring" type="s:boolean"/>'],
    ['beginDate', '<s:element minOccurs="1" maxOccurs="1" name="beginDate" type="s:dateTime"/>'],
    ['amount', '<s:element minOccurs="0" maxOccurs="1" name="amount" type="s:string"/>'],
  ])('types %s as .NET does', (_, element) => {
    expect(wsdlText({ service: 'CustomerLink', address: ADDRESS })).toContain(element);
  });

  it('types the elements of reports, the address behind the dates', () => {
    const text = wsdlText({ service: 'ReportLink', address: ADDRESS });
    const typed = [...text.matchAll(/minOccurs="(\d)" maxOccurs="1" name="(\w+)" type="s:(\w+)"/g)];
    const types = Object.fromEntries(typed.map(([, occurs, name, type]) => [name, `${type} ${occurs}`]));
    expect(types).toEqual({
      agentCode: 'string 0',
      password: 'string 0',
      customerIPAddress: 'string 0',
      date: 'dateTime 1',
      fromDate: 'dateTime 1',
      toDate: 'dateTime 1',
      startIndex: 'string 0',
      endIndex: 'string 0',
      currency: 'string 0',
      summaryOnly: 'boolean 1',
    });
  });

  it('gives batch files the type base64Binary, and every other field of a batch operation is text', () => {
    const text = wsdlText({ service: 'ProcessLink', address: ADDRESS });
    const typed = [...text.matchAll(/name="(\w+)" type="s:(\w+)"/g)].filter(([, , type]) => type !== 'string');
    expect(new Set(typed.map(([, name]) => name))).toEqual(new Set(['batchFile']));
    expect(typed.every(([, , type]) => type === 'base64Binary')).toBe(true);
    expect(FIELDS.batchFile.kind).toBe('base64');
  });

  it('passes over operations of the other service', () => {
    const operations: OperationName[] = ['deleteCustomerCode', 'processACHEFT'];
    const text = wsdlText({ service: 'ProcessLink', address: ADDRESS, operations });
    expect(text).toContain('name="ProcessACHEFT"');
    expect(text).not.toContain('DeleteCustomerCode');
  });

  it('appends the suffix of the first version to elements and actions only', () => {
    const operations: OperationName[] = ['getBatchProcessResultFile'];
    const text = wsdlText({ service: 'ProcessLink', address: ADDRESS, operations, suffix: 'V1' });
    expect(text).toContain('<s:element name="GetBatchProcessResultFileV1">');
    expect(text).toContain('<s:element name="GetBatchProcessResultFileV1Response">');
    expect(text).toContain('name="GetBatchProcessResultFileV1Result"');
    expect(text).toContain('NetGate/GetBatchProcessResultFileV1"');
    expect(text).toContain('<wsdl:operation name="GetBatchProcessResultFile">');
  });

  it('keeps an address inside its attribute', () => {
    const text = wsdlText({ service: 'ProcessLink', address: 'http://h/?a=1&b="><x>' });
    expect(text).toContain('location="http://h/?a=1&amp;b=&quot;&gt;&lt;x&gt;"');
  });
});

describe('wireName', () => {
  it('begins with a capital', () => {
    expect(wireName('processACHEFTChargeBatch')).toBe('ProcessACHEFTChargeBatch');
  });
});

const REPORT_ROWS = Object.entries(REPORTS) as [string, ReportRow][];
const WORDS = { card: 'CreditCard', bank: 'ACHEFT' } as const;
const LISTS = { approved: 'Approved', rejected: 'Reject', returned: 'Return', reconciliation: '' } as const;
const PERIODS = { day: 'SpecificDate', range: 'DateRange' } as const;

describe('REPORTS', () => {
  it('has the 17 reports of public clients', () => {
    expect(REPORT_ROWS).toHaveLength(17);
  });

  it.each(REPORT_ROWS)('%s is named after what stands in its row', (name, { method, list, period, form }) => {
    const what = list === 'reconciliation' ? 'BankReconciliationReport' : LISTS[list] + PERIODS[period];
    expect(name).toBe(`get${WORDS[method]}${what}${form}`);
  });

  it.each(REPORT_ROWS)('%s is offered where such payments are', (_name, { method, servers }) => {
    expect(servers).toEqual(method === 'card' ? ['NA', 'UK'] : ['NA']);
  });

  it.each(REPORT_ROWS)('%s has the elements of its period in their order', (_name, { list, period, wire }) => {
    const expected =
      list === 'reconciliation'
        ? 'fromDate toDate currency summaryOnly customerIPAddress'
        : { day: 'date customerIPAddress', range: 'fromDate toDate customerIPAddress startIndex endIndex' }[period];
    expect(wire.join(' ')).toBe(expected);
  });
});

describe('REPORT_FIELDS', () => {
  it.each(['fromDate', 'toDate', 'customerIPAddress'] as const)('%s is of the kind that it has in the spec', (name) => {
    expect(REPORT_FIELDS[name].kind).toBe(FIELDS[name].kind);
  });
});

describe('reportPurpose', () => {
  it.each([
    ['getCreditCardRejectSpecificDateCSV', 'Rejected card payments of a day, as CSV'],
    ['getACHEFTReturnDateRangeCSV', 'Returned bank payments of a range of time, as CSV'],
    ['getACHEFTBankReconciliationReportCSV', 'What the bank paid out for bank payments, as CSV'],
  ] as const)('says of %s: %s', (name, purpose) => {
    expect(reportPurpose(REPORTS[name])).toBe(purpose);
  });
});
