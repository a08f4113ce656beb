import { it } from 'vitest'

export const isThorough = process.env.THOROUGH !== undefined

/** A test that only `npm run test:thorough` runs; its file is in `testsWithFewerCases`. */
export const itThoroughly = it.runIf(isThorough)

/** The number of random cases to run: all of them in `npm run test:thorough`, by default a share of them. */
export const countCases = (cases: number, everydayShare = 0.1) =>
  isThorough ? cases : Math.ceil(cases * everydayShare)

/** Of a list of cases, those to run: all of them in `npm run test:thorough`, by default a share, at equal distances. */
export const sampleCases = <T>(cases: readonly T[], everydayShare?: number): readonly T[] => {
  const step = Math.round(cases.length / countCases(cases.length, everydayShare))
  return cases.filter((_, index) => index % step === 0)
}
