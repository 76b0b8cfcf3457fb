import type { ColumnName } from '../../../../schemas/layouts.ts';

type Titles = { readonly [Column in ColumnName]: readonly string[] } & { readonly oneName?: string };

const ENGLISH: Titles = {
  date: ['Date', 'Payment Date', 'Invoice Date', 'Posted'],
  invoice: ['Invoice #', 'Num', 'Doc', 'Invoice Number'],
  firstName: ['First Name', 'Given Name', 'First'],
  lastName: ['Last Name', 'Surname', 'Member'],
  fullName: ['Full Name', 'Name', 'Member'],
  street: ['Street', 'Billing Address', 'Line 1'],
  city: ['City', 'Billing City', 'Town'],
  state: ['State', 'Province', 'Area'],
  zipCode: ['Zip Code', 'ZIP', 'Billing ZIP'],
  amount: ['Amount', 'Amount Due', 'Dues', 'Total', 'Net'],
  mop: ['Card Type', 'Brand', 'Kind'],
  cardNumber: ['Card Number', 'Credit Card #', 'Number', 'Instrument'],
  expiry: ['Expiry', 'Card Exp', 'Exp', 'Valid'],
  accountType: ['Account Type', 'Acct Kind', 'Kind'],
  accountNumber: ['Account #', 'Bank Account', 'Number'],
  customerCode: ['Customer Code', 'Customer', 'Member ID', 'Code'],
  comment: ['Comment', 'Memo', 'Details'],
};

const FRENCH: Titles = {
  date: ['Date', 'Date de facture'],
  invoice: ['Facture', 'N° facture', 'Pièce'],
  firstName: ['Prénom'],
  lastName: ['Nom'],
  fullName: ['Nom complet', 'Adhérent'],
  street: ['Adresse', 'Rue'],
  city: ['Ville'],
  state: ['État', 'Région'],
  zipCode: ['Code postal', 'CP'],
  amount: ['Montant', 'Montant dû', 'Solde'],
  mop: ['Type de carte', 'Carte'],
  cardNumber: ['Numéro de carte', 'N° carte'],
  expiry: ['Expire', 'Échéance'],
  accountType: ['Type de compte', 'Genre'],
  accountNumber: ['Compte', 'N° compte'],
  customerCode: ['Code client', 'Client'],
  comment: ['Commentaire', 'Libellé'],
  oneName: 'Adhérent',
};

const GERMAN: Titles = {
  date: ['Datum', 'Rechnungsdatum', 'Buchungsdatum'],
  invoice: ['Rechnungsnr.', 'Belegnummer', 'Nummer'],
  firstName: ['Vorname'],
  lastName: ['Nachname', 'Mitglied'],
  fullName: ['Kundenname', 'Mitglied'],
  street: ['Straße', 'Anschrift'],
  city: ['Ort', 'Stadt'],
  state: ['Bundesland', 'Land'],
  zipCode: ['PLZ', 'Postleitzahl'],
  amount: ['Betrag', 'Offener Betrag', 'Beitrag', 'Summe'],
  mop: ['Kartenart', 'Zahlungsart'],
  cardNumber: ['Kartennummer', 'Kreditkarte', 'Karte'],
  expiry: ['Gültig bis', 'Ablaufdatum', 'Bis'],
  accountType: ['Kontoart', 'Art'],
  accountNumber: ['Kontonummer', 'Konto'],
  customerCode: ['Kundennummer', 'Kunde', 'Debitor'],
  comment: ['Bemerkung', 'Verwendungszweck'],
};

const SPANISH: Titles = {
  date: ['Fecha', 'Fecha de factura'],
  invoice: ['Factura', 'Documento'],
  firstName: ['Nombre'],
  lastName: ['Apellidos'],
  fullName: ['Nombre completo', 'Socio'],
  street: ['Calle', 'Dirección'],
  city: ['Ciudad'],
  state: ['Provincia', 'Estado'],
  zipCode: ['Código postal'],
  amount: ['Importe', 'Cuota', 'Importe pendiente'],
  mop: ['Tipo de tarjeta', 'Clase'],
  cardNumber: ['Tarjeta', 'Número de tarjeta'],
  expiry: ['Caducidad', 'Vencimiento'],
  accountType: ['Tipo de cuenta', 'Clase'],
  accountNumber: ['Cuenta', 'Número de cuenta'],
  customerCode: ['Cliente', 'Código de cliente'],
  comment: ['Concepto', 'Notas'],
  oneName: 'Socio',
};

export const MADE_TITLES: readonly Titles[] = [
  ENGLISH,
  { ...ENGLISH, oneName: 'Customer Name' },
  FRENCH,
  GERMAN,
  SPANISH,
];

/** Titles of columns that are not sent. Some are known titles of columns that are. */
export const DECOY_TITLES = {
  balance: ['Balance', 'Open Balance', 'Saldo', 'Total'],
  unitPrice: ['Unit price', 'Price', 'Preis'],
  amount: ['Open Amount', 'Paid', 'Total', 'Amount', 'Tax'],
  secondDate: ['Due Date', 'Created', 'Date', 'Fällig'],
  phone: ['Phone', 'Account', 'Téléphone'],
  oldCard: ['Old Card', 'Card', 'Previous'],
  customer: ['Customer No', 'Reference', 'Code'],
  memo: ['Notes', 'Memo', 'Internal'],
  currency: ['Currency', 'Währung', 'Devise'],
  status: ['Status', 'State of it', 'Stand'],
} as const;
