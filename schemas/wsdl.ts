import { SERVICE_NAMESPACE } from './operations.ts';
import { FIRST_REPORT_FIELDS, FIRST_REPORTS, type FirstReport } from './sandbox/report-v1.ts';
import { WIRE_OPERATIONS, wireKind, type WireOperation, wireRow } from './wire.ts';

export type ServiceName = ReturnType<typeof wireRow>['service'];

/** A service at one of its addresses. */
export type Endpoint = { readonly service: ServiceName; readonly isFirstVersion: boolean };

/**
 * Returns the WSDL of one service, made from the tables behind schemas/wire.ts, so that our client and our sandbox
 * agree. Its shape is that of the ASP.NET services: document/literal wrapped, a SOAP 1.1 and a SOAP 1.2 port at the
 * same address. PHP clients read the answer through its mixed `any` element and call the address that the ports name.
 *
 * @param wanted.address    where both ports are served, such as `https://host/NetGate/ProcessLinkv2.asmx`
 * @param wanted.operations what to describe, without other services' operations; all of the service when omitted
 * @param wanted.suffix     what version 1 of the service, and only that, appends to elements and actions
 */
export function wsdlText(wanted: {
  service: ServiceName;
  address: string;
  operations?: readonly WireOperation[];
  suffix?: '' | 'V1';
}): string {
  const rows = describeOperations(wanted.service, wanted.suffix ?? '', wanted.operations);
  const portType = `${wanted.service}Soap`;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<wsdl:definitions ${NAMESPACES} targetNamespace="${SERVICE_NAMESPACE}">`,
    '<wsdl:types>',
    `<s:schema elementFormDefault="qualified" targetNamespace="${SERVICE_NAMESPACE}">`,
    ...rows.flatMap(describeElements),
    '</s:schema>',
    '</wsdl:types>',
    ...rows.flatMap(describeMessages),
    ...describePortType(portType, rows),
    ...describeBinding('soap', portType, rows),
    ...describeBinding('soap12', portType, rows),
    ...describeService(wanted.service, portType, wanted.address),
    '</wsdl:definitions>',
    '',
  ].join('\n');
}

/** An operation as one version of its service names and describes it. */
export type DescribedOperation = {
  /** For programs; `label` tells apart two of one name. */
  readonly name: string;
  readonly label: string | undefined;
  /** Of the request; the answer's elements are named after it. */
  readonly element: string;
  /** Behind the namespace. */
  readonly action: string;
  /** In order, after agentCode and password. */
  readonly fields: readonly (readonly [name: string, kind: FieldKind])[];
  /** Whether the answer is a file in base64 and nothing else. */
  readonly isBare: boolean;
  readonly purpose: string;
};

type FieldKind = ReturnType<typeof wireKind>;

/**
 * Returns the operations of a service in one version.
 * @param suffix what version 1, and only that, appends to elements and actions; its reports have names of their own
 * @param wanted without other services' operations; all of the service when omitted
 */
export function describeOperations(
  service: ServiceName,
  suffix: '' | 'V1',
  wanted: readonly WireOperation[] = WIRE_OPERATIONS,
): DescribedOperation[] {
  if (service === 'ReportLink' && suffix === 'V1') {
    return FIRST_REPORTS.filter(({ report }) => wanted.includes(report)).map(describeFirstReport);
  }
  const chosen = WIRE_OPERATIONS.filter((name) => wireRow(name).service === service && wanted.includes(name));
  return chosen.map((operation) => {
    const name = wireName(operation);
    const { elements, purpose } = wireRow(operation);
    const fields = elements.map((field) => [field, wireKind(field)] as const);
    return { name, label: undefined, element: name + suffix, action: name + suffix, fields, isBare: false, purpose };
  });
}

function describeFirstReport({ name, element, action, wire, isBare, report }: FirstReport): DescribedOperation {
  const fields = wire.map((field) => [field, FIRST_REPORT_FIELDS[field].kind] as const);
  return { name, label: element, element, action, fields, isBare, purpose: wireRow(report).purpose };
}

/** Returns the operation's name on the wire: ours with a capital first letter. */
export function wireName(operation: WireOperation): string {
  return operation.charAt(0).toUpperCase() + operation.slice(1);
}

const NAMESPACES = [
  'xmlns:s="http://www.w3.org/2001/XMLSchema"',
  'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"',
  'xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/"',
  `xmlns:tns="${SERVICE_NAMESPACE}"`,
  'xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"',
].join(' ');

/** Both bindings name the HTTP transport of SOAP 1.1; ASP.NET writes the same address for 1.2. */
const TRANSPORT = 'http://schemas.xmlsoap.org/soap/http';

function describeElements({ element, fields, isBare }: DescribedOperation): string[] {
  const result = `minOccurs="0" maxOccurs="1" name="${element}Result"`;
  return [
    `<s:element name="${element}"><s:complexType><s:sequence>`,
    describeText('agentCode'),
    describeText('password'),
    ...fields.map(([field, kind]) => describeField(field, kind)),
    '</s:sequence></s:complexType></s:element>',
    `<s:element name="${element}Response"><s:complexType><s:sequence>`,
    isBare
      ? `<s:element ${result} type="s:base64Binary"/>`
      : `<s:element ${result}><s:complexType mixed="true"><s:sequence><s:any/></s:sequence></s:complexType></s:element>`,
    '</s:sequence></s:complexType></s:element>',
  ];
}

/** Describes an element. Amounts are text. Only booleans and date-times must be present, as .NET value types. */
function describeField(field: string, kind: FieldKind): string {
  switch (kind) {
    case 'boolean':
      return `<s:element minOccurs="1" maxOccurs="1" name="${field}" type="s:boolean"/>`;
    case 'dateTime':
      return `<s:element minOccurs="1" maxOccurs="1" name="${field}" type="s:dateTime"/>`;
    case 'base64':
      return `<s:element minOccurs="0" maxOccurs="1" name="${field}" type="s:base64Binary"/>`;
    case 'text':
    case 'decimal':
    case 'digits':
    case 'enum':
    case 'expiry':
    case 'ipv4':
      return describeText(field);
  }
}

function describeText(name: string): string {
  return `<s:element minOccurs="0" maxOccurs="1" name="${name}" type="s:string"/>`;
}

/**
 * Describes the messages. Like port types and operations they have no suffix: PHP uses the plain names in version 1.
 */
function describeMessages({ name, label = name, element }: DescribedOperation): string[] {
  return [
    `<wsdl:message name="${label}SoapIn"><wsdl:part name="parameters" element="tns:${element}"/></wsdl:message>`,
    `<wsdl:message name="${label}SoapOut"><wsdl:part name="parameters" element="tns:${element}Response"/></wsdl:message>`,
  ];
}

function describePortType(portType: string, rows: readonly DescribedOperation[]): string[] {
  return [
    `<wsdl:portType name="${portType}">`,
    ...rows.map(({ name, label }) => {
      const message = `message="tns:${label ?? name}`;
      return (
        `<wsdl:operation name="${name}"><wsdl:input${nameOf(label)} ${message}SoapIn"/>` +
        `<wsdl:output${nameOf(label)} ${message}SoapOut"/></wsdl:operation>`
      );
    }),
    '</wsdl:portType>',
  ];
}

function nameOf(label: string | undefined): string {
  return label === undefined ? '' : ` name="${label}"`;
}

function describeBinding(prefix: 'soap' | 'soap12', portType: string, rows: readonly DescribedOperation[]): string[] {
  const binding = prefix === 'soap' ? portType : `${portType}12`;
  const body = `<${prefix}:body use="literal"/>`;
  return [
    `<wsdl:binding name="${binding}" type="tns:${portType}">`,
    `<${prefix}:binding transport="${TRANSPORT}"/>`,
    ...rows.map(
      ({ name, label, action }) =>
        `<wsdl:operation name="${name}">` +
        `<${prefix}:operation soapAction="${SERVICE_NAMESPACE}${action}" style="document"/>` +
        `<wsdl:input${nameOf(label)}>${body}</wsdl:input><wsdl:output${nameOf(label)}>${body}</wsdl:output></wsdl:operation>`,
    ),
    '</wsdl:binding>',
  ];
}

function describeService(service: ServiceName, portType: string, address: string): string[] {
  const location = escapeAttribute(address);
  return [
    `<wsdl:service name="${service}">`,
    `<wsdl:port name="${portType}" binding="tns:${portType}"><soap:address location="${location}"/></wsdl:port>`,
    `<wsdl:port name="${portType}12" binding="tns:${portType}12"><soap12:address location="${location}"/></wsdl:port>`,
    '</wsdl:service>',
  ];
}

/** Escapes the address, which may come from a Host header and must not close the attribute. */
function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
