import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Observation } from '../diff/recorded-response.ts'
import type { Scenario } from './scenario.ts'

/** Two answers to be compared by the contract of `label`. */
export interface Pair {
  readonly label: Label
  readonly scenario: string
  readonly native: Observation
  readonly core: Observation
  /** The status that the scenario is about; absent where none is more right than another. */
  readonly expected?: number
  /** What the core answered when it was asked the same of the same once more. */
  readonly coreAgain?: Observation
  /** Whether both were asked of what one side made. */
  readonly ofOneState?: true
  /** The write that left behind what both read. */
  readonly storedBy?: Label
}

/** What one request got: from the side that made its world, and from the other one. */
export interface SentRequest {
  readonly own: Observation
  readonly other?: Observation
  readonly again?: Observation
}

export interface ReadBack {
  readonly label: Label
  readonly asked: SentRequest
}

/** What was asked in one world. */
export interface PageView {
  readonly asked: SentRequest
  readonly reads: readonly ReadBack[]
}

export const isReading = (label: Label) => rowOf(label).method === 'GET'
const isNative = (label: Label) => rowOf(label).runtime === 'native'

type NamedPair = Pick<Pair, 'label' | 'scenario' | 'expected'>

/** The pairs of a request that both sides were asked in each of the two worlds. */
const crossed = (named: NamedPair, byNative: SentRequest, byCore: SentRequest): Pair[] => [
  ...(byNative.other === undefined
    ? []
    : [
        {
          ...named,
          scenario: `${named.scenario} (made natively)`,
          native: byNative.own,
          core: byNative.other,
          ofOneState: true as const,
        },
      ]),
  ...(byCore.other === undefined
    ? []
    : [
        {
          ...named,
          scenario: `${named.scenario} (made by the core)`,
          native: byCore.other,
          core: byCore.own,
          ofOneState: true as const,
          ...(byCore.again === undefined ? {} : { coreAgain: byCore.again }),
        },
      ]),
]

/** All that two visits of one scenario let compare. */
export const createPairs = (
  scenario: Scenario,
  ofNative: PageView,
  ofCore: PageView,
  areFresh: boolean,
): Pair[] => {
  const { label, title, status } = scenario
  const named: NamedPair = { label, scenario: title, expected: status }
  // What an account held before shows in what it reads, but not in how a write is answered.
  const across: Pair[] =
    areFresh || !isReading(label) ? [{ ...named, native: ofNative.asked.own, core: ofCore.asked.own }] : []
  const reads = ofNative.reads.flatMap((read): Pair[] => {
    const counterpart = ofCore.reads.find((other) => other.label === read.label)
    if (counterpart === undefined) return []
    const { own: core, again } = counterpart.asked
    const after: NamedPair = { label: read.label, scenario: `${title}, then ${read.label}` }
    const stored: Pair[] = areFresh
      ? [
          {
            ...after,
            native: read.asked.other ?? read.asked.own,
            core,
            // Of a read that both sides serve the crossing pairs tell already.
            ...(isNative(read.label) || again === undefined ? {} : { coreAgain: again }),
            storedBy: label,
          },
        ]
      : []
    return [...(isNative(read.label) ? crossed(after, read.asked, counterpart.asked) : []), ...stored]
  })
  return [...across, ...crossed(named, ofNative.asked, ofCore.asked), ...reads]
}
