import { SERVICE_NAMESPACE } from './operations.ts';
import { WIRE_OPERATIONS, type WireField, wireKind, type WireOperation, wireRow } from './wire.ts';

export type ServiceName = ReturnType<typeof wireRow>['service'];

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
  const names = chosenOperations(wanted.service, wanted.operations);
  const suffix = wanted.suffix ?? '';
  const portType = `${wanted.service}Soap`;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<wsdl:definitions ${NAMESPACES} targetNamespace="${SERVICE_NAMESPACE}">`,
    '<wsdl:types>',
    `<s:schema elementFormDefault="qualified" targetNamespace="${SERVICE_NAMESPACE}">`,
    ...names.flatMap((name) => describeElements(name, suffix)),
    '</s:schema>',
    '</wsdl:types>',
    ...names.flatMap((name) => describeMessages(name, suffix)),
    ...describePortType(portType, names),
    ...describeBinding('soap', portType, names, suffix),
    ...describeBinding('soap12', portType, names, suffix),
    ...describeService(wanted.service, portType, wanted.address),
    '</wsdl:definitions>',
    '',
  ].join('\n');
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

function chosenOperations(service: ServiceName, wanted: readonly WireOperation[] | undefined): WireOperation[] {
  return WIRE_OPERATIONS.filter((name) => wireRow(name).service === service && (wanted?.includes(name) ?? true));
}

function describeElements(operation: WireOperation, suffix: string): string[] {
  const name = wireName(operation) + suffix;
  return [
    `<s:element name="${name}"><s:complexType><s:sequence>`,
    describeText('agentCode'),
    describeText('password'),
    ...wireRow(operation).elements.map(describeField),
    '</s:sequence></s:complexType></s:element>',
    `<s:element name="${name}Response"><s:complexType><s:sequence>`,
    `<s:element minOccurs="0" maxOccurs="1" name="${name}Result">` +
      '<s:complexType mixed="true"><s:sequence><s:any/></s:sequence></s:complexType></s:element>',
    '</s:sequence></s:complexType></s:element>',
  ];
}

/** Describes an element. Amounts are text. Only booleans and date-times must be present, as .NET value types. */
function describeField(field: WireField): string {
  switch (wireKind(field)) {
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
function describeMessages(operation: WireOperation, suffix: string): string[] {
  const name = wireName(operation);
  const element = `tns:${name}${suffix}`;
  return [
    `<wsdl:message name="${name}SoapIn"><wsdl:part name="parameters" element="${element}"/></wsdl:message>`,
    `<wsdl:message name="${name}SoapOut"><wsdl:part name="parameters" element="${element}Response"/></wsdl:message>`,
  ];
}

function describePortType(portType: string, operations: readonly WireOperation[]): string[] {
  return [
    `<wsdl:portType name="${portType}">`,
    ...operations
      .map(wireName)
      .map(
        (name) =>
          `<wsdl:operation name="${name}"><wsdl:input message="tns:${name}SoapIn"/>` +
          `<wsdl:output message="tns:${name}SoapOut"/></wsdl:operation>`,
      ),
    '</wsdl:portType>',
  ];
}

function describeBinding(
  prefix: 'soap' | 'soap12',
  portType: string,
  operations: readonly WireOperation[],
  suffix: string,
): string[] {
  const binding = prefix === 'soap' ? portType : `${portType}12`;
  const body = `<${prefix}:body use="literal"/>`;
  return [
    `<wsdl:binding name="${binding}" type="tns:${portType}">`,
    `<${prefix}:binding transport="${TRANSPORT}"/>`,
    ...operations
      .map(wireName)
      .map(
        (name) =>
          `<wsdl:operation name="${name}">` +
          `<${prefix}:operation soapAction="${SERVICE_NAMESPACE}${name}${suffix}" style="document"/>` +
          `<wsdl:input>${body}</wsdl:input><wsdl:output>${body}</wsdl:output></wsdl:operation>`,
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
