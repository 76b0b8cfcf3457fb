/** Titles of card files that an import profile reads. */
export const CARD_TITLES = 'Day,Number,Given,Family,Road,Town,Region,Code,Due,Kind,Card,Until';

/** The text of that profile. Each column needs its rule, and no file is held for being the first. */
export const CARD_PROFILE = `layout: card
read: { charset: utf-8, separator: comma }
head: { titles: [${CARD_TITLES}] }
columns:
  date: { from: Day, format: MM/DD/YYYY }
  invoice: { from: Number }
  firstName: { from: Given, empty: keep }
  lastName: { from: Family }
  street: { from: Road, empty: keep }
  city: { from: Town, empty: keep }
  state: { from: Region, empty: keep }
  zipCode: { from: Code, empty: keep }
  amount: { from: Due, number: { decimal: '.', group: ',' }, sign: as-written }
  mop: { from: Kind, words: { VISA: VISA, MasterCard: MC } }
  cardNumber: { from: Card }
  expiry: { from: Until, format: MM/YY }
check: { firstFiles: 0 }
`;
