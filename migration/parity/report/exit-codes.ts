import type { RunOutcome } from './summary.ts'

export const exitCodes: Readonly<Record<RunOutcome | 'not_removed' | 'not_posted', number>> = {
  pass: 0,
  regression: 1,
  could_not_compare: 2,
  inconclusive: 3,
  not_removed: 4,
  not_posted: 5,
}

export const exitCodeNotes = [
  'exit codes:',
  '  0  native and core agree',
  '  1  native differs from the core',
  '  2  a comparison was attempted but failed, or its responses were not comparable; or the command did not finish',
  '  3  inconclusive: no comparison of a route was attempted, or only of error cases',
  '  4  native and core agree, but something that parity created could not be removed',
  '  5  contract --post was rejected before the run, or native and core agree but posting failed',
] as const
