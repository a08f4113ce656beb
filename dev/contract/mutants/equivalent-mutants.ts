const idsByReason = {
  'The database sets the same default.': '586596588128 123bb76aa337 5aa9d6d6a093 276c832c7084',
  'A route without an entry in the table gets the same value.':
    '4d48d83121d7 793cb1a76924 a67be31ceb85 c45bcea26b3f 69f2539ab0b4 358157b89d77 d3e7be8e0fd3 ebc43be023ff',
  'Two links of a pack are never created in the same microsecond.': '453780e4ae53',
  'No test can send a request in the exact millisecond a link expires.': 'c81e06d93048',
  'No test can time a request to the exact microsecond a link expires.': 'a9e9e70f2d36',
  'The mutant only rewrites rows whose position does not change.': 'fef498a5019b',
  'Only the first row is used.': 'fd78057118a0',
  'The page is cut to the limit after the rows are read.': '7eee19c84643 655b15e24371',
  'The row is inserted only if it is missing, and then read again.': '2171f04daaa9',
  'Two links of a pack are never created in the same millisecond.': '1f18f0e39d68',
  'Every route that reaches the mutant has a slug in its path.': 'ca748bc3a1ad',
  'A row with a file always has a stem.': 'bff716c2ec0b',
  'The table contains no code that is not a string, so looking one up gives the same result.': 'd9756610d5d3',
  'Two runs of a version are never created in the same microsecond.': '081af4ef3dfc',
  'No share has a malformed id.': 'b3f27fe3b469',
  'The mutant only fails for a query that ignores its range.': 'b21b81f7d909',
  'A table constraint requires a size for these files.': 'd839702cf796',
  'A later step sets the same default.': '7394467430f2',
  'The handler has no transaction, so its response is stored in the same way.': 'c147b2ecdf9b',
  'A full batch always has a last record.': '74437b16e7fe',
  'The next line throws too, with the same response.': '2e289ab4ebc9',
  'Every route that reaches the mutant has a token in its path.': '05c4f11a01de d313cf022e31',
  'PostgreSQL converts names without quotes to lower case.': '121c7cc9ab76',
  'A statement for another revision updates no row.': 'c5f644e4a288',
  'A limit is only reported as exhausted while its reset is still to come.': 'bdc981757fbb',
  'Only concurrent requests depend on the revision.': '9b9b797d994a aed13073ee58 a4b0ad78c2cf 445e81fa9eec',
  'Without numbers, an account’s checkouts keep the order of the provider, which is the same.':
    '998b7f4cd092',
  'With equal numbers, an account’s checkouts keep the order of the provider, which is the same.':
    '10f4c20f8746',
  'The order of the numbers stays the same.': 'c7bf0180b0ea',
  'Only operators see the warning.': `
    1970632b5a9c 2936e140d4e6 50dbbcd6d72f 924032580e83 d956bef8a75f b110352c6b3d ece265f728f8 de014d8faf59
    f0154b2224ca`,
  'A table constraint requires an address if a share has no account.': '4e25e279b249',
  'The only route with this scope locks and checks the share in its handler too.':
    '89c94886cae5 bf2ac5652b24 39b66b03b803',
  'A missing flag counts as false.': 'afbfab87713c',
  'Every request has a trace.': 'ebdd68e1fa10',
  'Only logs and traces show which request has queued a job.': '4d794fd187cc 072725798bb9',
  'It changes how many uses an instance holds in advance, but not how many it admits.': '9d57319dea5f',
  'Uses of a window that has ended are not refunded anyway.': '10c6a42a2a9e',
  'Only the other kinds of handlers are recognized by their kind.': 'd27373d2ec02',
  'Decoding a missing cursor gives no position either.': '4e27019faacd',
  'The sum of no sizes is null, which counts as 0 in an addition.': 'cf77adefb696',
  'No stage is ever set to this status.': '8d7ae72001fd 18e1232d75f0 54902fa10776 b0baacec206f',
  'No request sets a stage to this status: jobs do, and they run without mutants.': `
    530d9cae132e 46b53bc286da c48aa154e83b c5179c389d06 4ab05a635b1e d612c487838d d28d7ea73ba1 4b59038585e0
    bade7d8f4ff0 344231bc28ea 523dc557fa08 506b1ce55f0f 05414bfb4a4a 69c173443639 d223df402193 d73eb2a8d8ed
    62a998f0cd4c`,
  'A stem always has a file.': '564cced867a9 130fbd7c57da',
  'The scope was checked just before, so only a concurrent request makes a difference.': `
    97319285510c 1f6380048ceb 09cf830d56f4 2432d4b33902 b34ffa9413f5 761388aa32b1 97418a0ae335 ab9a3e1e551b
    374888e1a3d6 963df4493d67 62503e2be7d3 6043a7f4b44a`,
}

/** Mutants that no response can reveal, by id, with the reason. */
export const equivalentMutants: ReadonlyMap<string, string> = new Map(
  Object.entries(idsByReason).flatMap(([reason, ids]) =>
    ids
      .trim()
      .split(/\s+/)
      .map((id) => [id, reason] as const),
  ),
)
