import { type ColumnName, COLUMNS } from '../../../schemas/layouts.ts';

type Titles = { readonly [Column in ColumnName]: string };

/** Common titles of the columns besides the spec's own. A word that may mean two columns is listed for both. */
const ENGLISH: Titles = {
  date: 'payment date, transaction date, trans date',
  invoice:
    'num, document no, document number, invoice, invoice no, invoice num, invoice number, invoice id, inv, inv no, reference, ref',
  firstName: 'first, given name, forename, name',
  lastName: 'last, surname, family name, name',
  fullName: 'name, customer name, payer, card holder, card holder name, name on card',
  street: 'street address, address, address 1, address line 1',
  city: 'town',
  state: 'province, state province, state or province, county, region',
  zipCode: 'zip, post code, postal code, zip postal code',
  amount: 'amt, total, sum, charge, payment amount',
  mop: 'method of payment, payment method, card type, card brand, brand',
  cardNumber:
    'credit card, credit card no, credit card num, credit card number, card, card no, card number, cc, cc num, cc no, cc number, pan',
  expiry:
    'expiry date, exp, exp date, expires, expiration, expiration date, credit card expiry, card expiry, cc exp, mmyy',
  accountType: 'acct type, bank account type',
  accountNumber: 'account, account no, account num, account number, acct, acct no, bank account, bank account number',
  customerCode: 'code, cust code, customer id, customer no, customer number, customer',
  comment: 'comments, memo, note, notes, description, remark, remarks',
};

const FRENCH: Titles = {
  date: 'date de paiement, date de transaction',
  invoice: 'facture, no facture, numéro de facture, n° facture, référence, réf',
  firstName: 'prénom',
  lastName: 'nom, nom de famille',
  fullName: 'nom complet, nom du client, titulaire, titulaire de la carte',
  street: 'rue, adresse',
  city: 'ville',
  state: 'état, région',
  zipCode: 'code postal, cp',
  amount: 'montant, somme',
  mop: 'mode de paiement, type de carte, marque de carte',
  cardNumber: 'carte, numéro de carte, no carte, n° carte, n° de carte, no de carte, carte de crédit',
  expiry: 'expire, date d’expiration, date expiration, échéance de la carte',
  accountType: 'type de compte',
  accountNumber: 'compte, numéro de compte, no compte, n° compte',
  customerCode: 'code client, numéro de client, no client, n° client, client',
  comment: 'commentaire, remarque, libellé',
};

const GERMAN: Titles = {
  date: 'datum, zahlungsdatum, buchungsdatum',
  invoice: 'rechnung, rechnungsnr, rechnungsnummer, rechnung nr, belegnummer, belegnr, referenz',
  firstName: 'vorname',
  lastName: 'nachname, familienname, zuname',
  fullName: 'kundenname, karteninhaber, zahler, vollständiger name',
  street: 'straße, strasse, anschrift, adresse',
  city: 'ort, stadt, wohnort',
  state: 'bundesland, kanton',
  zipCode: 'plz, postleitzahl',
  amount: 'betrag, summe, gesamtbetrag, zahlbetrag',
  mop: 'zahlungsart, kartenart, kartentyp, zahlart',
  cardNumber: 'karte, kartennummer, kartennr, kreditkarte, kreditkartennummer',
  expiry: 'gültig bis, ablaufdatum, verfallsdatum, gültigkeit',
  accountType: 'kontoart, kontotyp',
  accountNumber: 'konto, kontonummer, kontonr, bankkonto',
  customerCode: 'kundennummer, kundennr, kundencode, kunde, debitor, debitorennummer',
  comment: 'kommentar, bemerkung, notiz, verwendungszweck, buchungstext',
};

const SPANISH: Titles = {
  date: 'fecha, fecha de pago',
  invoice: 'factura, número de factura, no factura, nº factura, referencia',
  firstName: 'nombre, nombre de pila',
  lastName: 'apellido, apellidos',
  fullName: 'nombre completo, titular, titular de la tarjeta, nombre del cliente',
  street: 'calle, dirección, domicilio',
  city: 'ciudad, localidad, población',
  state: 'estado, provincia',
  zipCode: 'código postal, cp',
  amount: 'importe, monto, cantidad',
  mop: 'forma de pago, método de pago, tipo de tarjeta, marca de tarjeta',
  cardNumber: 'tarjeta, número de tarjeta, nº tarjeta, tarjeta de crédito',
  expiry: 'caducidad, vencimiento, fecha de caducidad, válida hasta',
  accountType: 'tipo de cuenta',
  accountNumber: 'cuenta, número de cuenta, nº cuenta, cuenta bancaria',
  customerCode: 'código de cliente, número de cliente, nº cliente, cliente',
  comment: 'comentario, comentarios, nota, observaciones, concepto',
};

/**
 * Returns the columns that a title may mean; empty for none. Case, accents, spaces, punctuation and remarks in brackets
 * are ignored, so the spec's `Account # (no spaces or dashes)` matches as well as `account_no`.
 */
export function columnsOfTitle(title: string): readonly ColumnName[] {
  return COLUMNS_BY_TITLE.get(plainTitle(title)) ?? [];
}

/**
 * Returns the columns that a title resembles: it has all words of one of their titles, or differs in one letter. This
 * is a hint for a person, such as `Open Amount` for the amount.
 */
export function columnsNearTitle(title: string): readonly ColumnName[] {
  const plain = plainTitle(title);
  const words = new Set(wordsOf(title));
  return COLUMN_NAMES.filter((column) =>
    TITLE_WORDS.get(column)!.some(
      ({ own, whole }) => own.every((word) => words.has(word)) || isOneEditAway(whole, plain),
    ),
  );
}

/** Returns a title in small letters and digits, without accents, signs and remarks in brackets. */
function plainTitle(title: string): string {
  return foldLetters(title).replace(/[^\p{L}\p{N}]/gu, '');
}

function foldLetters(title: string): string {
  return title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\([^()]*\)/g, '');
}

function wordsOf(title: string): string[] {
  // CardNumber has two words.
  return foldLetters(title.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Short words differ in one letter too often. */
const SHORTEST_NEAR = 5;

function isOneEditAway(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < SHORTEST_NEAR || long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  return short.slice(long.length === short.length ? at + 1 : at) === long.slice(at + 1);
}

const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];

const LANGUAGES = [ENGLISH, FRENCH, GERMAN, SPANISH];

function titlesOf(column: ColumnName): readonly string[] {
  return [COLUMNS[column].title, ...LANGUAGES.flatMap((titles) => titles[column].split(','))];
}

const TITLE_WORDS = new Map(
  COLUMN_NAMES.map((column) => {
    const titles = titlesOf(column).map((title) => ({ own: wordsOf(title), whole: plainTitle(title) }));
    return [column, titles];
  }),
);

const COLUMNS_BY_TITLE = indexTitles();

function indexTitles(): ReadonlyMap<string, readonly ColumnName[]> {
  const index = new Map<string, ColumnName[]>();
  for (const column of COLUMN_NAMES) {
    for (const plain of new Set(titlesOf(column).map(plainTitle))) {
      index.set(plain, [...(index.get(plain) ?? []), column]);
    }
  }
  return index;
}

/** Returns whether a title names the card security code, which must never be in a file. */
export function namesSecurityCode(title: string): boolean {
  const plain = plainTitle(title);
  return (
    SECURITY_CODE_TITLES.has(plain) ||
    /^(?:card|creditcard|cc)?(?:cvv|cvc|cvn|csc)2?(?:no|number|num|code)?$/.test(plain)
  );
}

const SECURITY_CODE_TITLES = new Set([
  'cid',
  ...['securitycode', 'verificationcode', 'verificationvalue', 'verificationnumber'].flatMap((title) => [
    title,
    `card${title}`,
  ]),
  'cryptogramme',
  'codedesecurite',
  'sicherheitscode',
  'kartenprufnummer',
  'kartenprufziffer',
  'codigodeseguridad',
]);
