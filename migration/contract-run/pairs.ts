import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Observation } from '../diff/recorded-response.ts'
import type { Scenario } from './scenario.ts'

/** Two responses to compare by the contract of `label`. */
export interface Pair {
  readonly label: Label
  readonly scenario: string
  readonly native: Observation
  readonly core: Observation
  /** The status that the scenario expects; undefined for a read-back. */
  readonly expected?: number
  /** The response of the core to a repetition of the same request. */
  readonly coreAgain?: Observation
  /** Whether both sides read data that one side created. */
  readonly ofOneState?: true
  /** The write whose stored result this pair reads back. */
  readonly storedBy?: Label
}

/** The responses to one request: from the side that prepared the scenario, from the other side, and to a repetition. */
export interface SentRequest {
  readonly own: Observation
  readonly other?: Observation
  readonly again?: Observation
}

export interface ReadBack {
  readonly label: Label
  readonly asked: SentRequest
}

/** The observations of one run of a scenario that one side prepared. */
export interface PageView {
  readonly asked: SentRequest
  readonly reads: readonly ReadBack[]
}

export const isReading = (label: Label) => rowOf(label).method === 'GET'
const isNative = (label: Label) => rowOf(label).runtime === 'native'

type NamedPair = Pick<Pair, 'label' | 'scenario' | 'expected'>

/** The pairs of a request that both sides received, in the run that each side prepared. */
const createCrossPairs = (
  named: NamedPair,
  preparedByNative: SentRequest,
  preparedByCore: SentRequest,
): Pair[] => {
  const pairs: Pair[] = []
  if (preparedByNative.other !== undefined)
    pairs.push({
      ...named,
      scenario: `${named.scenario} (prepared by native)`,
      native: preparedByNative.own,
      core: preparedByNative.other,
      ofOneState: true,
    })
  if (preparedByCore.other !== undefined)
    pairs.push({
      ...named,
      scenario: `${named.scenario} (prepared by the core)`,
      native: preparedByCore.other,
      core: preparedByCore.own,
      ofOneState: true,
      ...(preparedByCore.again === undefined ? {} : { coreAgain: preparedByCore.again }),
    })
  return pairs
}

/** All pairs from the two runs of one scenario. */
export const createPairs = (
  scenario: Scenario,
  nativeRun: PageView,
  coreRun: PageView,
  hasFreshAccounts: boolean,
): Pair[] => {
  const { label, title, status } = scenario
  const named: NamedPair = { label, scenario: title, expected: status }
  // Existing data of an account shows in reads, but not in the response of a write.
  const ownPairs: Pair[] =
    hasFreshAccounts || !isReading(label)
      ? [{ ...named, native: nativeRun.asked.own, core: coreRun.asked.own }]
      : []
  const reads = nativeRun.reads.flatMap((read): Pair[] => {
    const counterpart = coreRun.reads.find((other) => other.label === read.label)
    if (counterpart === undefined) return []
    const core = counterpart.asked.own
    const repeat = counterpart.asked.again
    const readBack: NamedPair = { label: read.label, scenario: `${title}, then ${read.label}` }
    const storedPairs: Pair[] = hasFreshAccounts
      ? [
          {
            ...readBack,
            native: read.asked.other ?? read.asked.own,
            core,
            // For a read that both sides serve, the cross pairs already contain the repetition.
            ...(isNative(read.label) || repeat === undefined ? {} : { coreAgain: repeat }),
            storedBy: label,
          },
        ]
      : []
    return [
      ...(isNative(read.label) ? createCrossPairs(readBack, read.asked, counterpart.asked) : []),
      ...storedPairs,
    ]
  })
  return [...ownPairs, ...createCrossPairs(named, nativeRun.asked, coreRun.asked), ...reads]
}
