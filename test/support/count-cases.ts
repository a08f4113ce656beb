import { it } from 'vitest'

export const isThorough = process.env.THOROUGH !== undefined

/** Defines a test that only `npm run test:thorough` runs. Its file must be listed in `testsWithFewerCases`. */
export const itThoroughly = it.runIf(isThorough)

/** The number of random cases to run: all of them in `npm run test:thorough`, otherwise the everyday share. */
export const countCases = (cases: number, everydayShare = 0.1) =>
  isThorough ? cases : Math.ceil(cases * everydayShare)

/** Selects the cases to run: all of them in `npm run test:thorough`, otherwise an evenly spaced share. */
export const sampleCases = <T>(cases: readonly T[], everydayShare?: number): readonly T[] => {
  const step = Math.round(cases.length / countCases(cases.length, everydayShare))
  return cases.filter((_, index) => index % step === 0)
}
