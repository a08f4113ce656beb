const databaseDefault = 'The database sets the same default.'
const cutLater = 'The page is cut to the limit after the rows are read.'
const tableDefault = 'A route without an entry in the table gets the same value.'

/** Mutants that no response can reveal, by id, with the reason. */
export const equivalentMutants: Readonly<Record<string, string>> = {
  '586596588128': databaseDefault,
  '675f827399f8': databaseDefault,
  '4d48d83121d7': tableDefault,
  '793cb1a76924': tableDefault,
  '453780e4ae53': 'Two links of a pack are never created in the same microsecond.',
  c81e06d93048: 'No test can send a request in the exact millisecond a link expires.',
  a9e9e70f2d36: 'No test can time a request to the exact microsecond a link expires.',
  fef498a5019b: 'The mutant only rewrites rows whose position does not change.',
  fd78057118a0: 'Only the first row is used.',
  '7eee19c84643': cutLater,
  '655b15e24371': cutLater,
  '2171f04daaa9': 'The row is inserted only if it is missing, and then read again.',
  '90ba8db64082': 'Two links of a pack are never created in the same millisecond.',
  ca748bc3a1ad: 'Every route that reaches the mutant has a slug in its path.',
  bff716c2ec0b: 'A row with a file always has a stem.',
  d9756610d5d3: 'The table contains no code that is not a string, so looking one up gives the same result.',
  '081af4ef3dfc': 'Two runs of a version are never created in the same microsecond.',
  '5aa9d6d6a093': databaseDefault,
  fbf935cd83cd: 'No share has a malformed id.',
  b21b81f7d909: 'The mutant only fails for a query that ignores its range.',
  d839702cf796: 'A table constraint requires a size for these files.',
  '7394467430f2': 'A later step sets the same default.',
  '276c832c7084': databaseDefault,
  a67be31ceb85: tableDefault,
  c147b2ecdf9b: 'The handler has no transaction, so its response is stored in the same way.',
  '74437b16e7fe': 'A full batch always has a last record.',
  '2e289ab4ebc9': 'The next line throws too, with the same response.',
  '05c4f11a01de': 'Every route that reaches the mutant has a token in its path.',
  '121c7cc9ab76': 'PostgreSQL converts names without quotes to lower case.',
  c5f644e4a288: 'A statement for another revision updates no row.',
  bdc981757fbb: 'A limit is only reported as exhausted while its reset is still to come.',
}
