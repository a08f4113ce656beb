const databaseDefault = 'The database sets the same default.'
const tableDefault = 'A route that the table does not name has the same value.'

/** Mutants that no response can show, by id, with the reason. */
export const equivalentMutants: Readonly<Record<string, string>> = {
  '586596588128': databaseDefault,
  '675f827399f8': databaseDefault,
  '5790e148a796': databaseDefault,
  '4d48d83121d7': tableDefault,
  '793cb1a76924': tableDefault,
  '453780e4ae53': 'Two links of a pack are never created in the same microsecond.',
  c81e06d93048: 'No request can be sent in the millisecond in which a link expires.',
  a9e9e70f2d36: 'No test can time a request to the exact microsecond in which a link expires.',
}
