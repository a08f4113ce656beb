/** How many random cases to try: all of them in `npm run test:thorough`, a quarter in everyday runs. */
export const thoroughly = (cases: number) =>
  process.env.THOROUGH === undefined ? Math.ceil(cases / 4) : cases
