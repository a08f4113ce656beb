/** The number of random cases to run: all of them in `npm run test:thorough`, a quarter by default. */
export const countCases = (cases: number) =>
  process.env.THOROUGH === undefined ? Math.ceil(cases / 4) : cases
